"""A file of a few texts with their vectors, by which a later run detects changes."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.app.practice.answers import Answer
from embspace.app.practice.corpora import CorpusOfTexts
from embspace.app.practice.reading import read_corpus
from embspace.errors import InputError, counted, reason_of, shortened, within
from embspace.files.atomic import write_bytes
from embspace.geometry.pairs.directions import norms
from embspace.geometry.pairs.safe_ratio import ratio
from embspace.measure.practice.text_vectors import TextVectors, snippet

MOST = 100  # texts of a file, which is meant for a repository
BOUND = 1e-4
"""The largest relative change of a vector, |new - old| / |old|, that passes as unchanged.

Above the changes that batches and processors cause in float32 (about 1e-6), below those that
float16 or an int8 copy causes (about 1e-3 and more).
"""
FOLDER = ("./", "../")  # starts the name of a model in a folder, from the file's own folder
KEYS = {"model", "layer", "pooling", "texts", "vectors"}
LARGEST = float(np.finfo(np.float32).max)


def save_canary(
    corpus: Any,
    file: str | Path,
    model: Any = None,
    *,
    layer: int = -1,
    pooling: str | None = None,
    tokenizer: Any = None,
    reading: Any = None,
) -> str:
    """Write up to 100 texts of a corpus with vectors, in JSON; return a sentence on the file.

    Raises:
        InputError: as `read_corpus`; also if the corpus is vectors alone.
    """
    read = read_corpus(corpus, model=model, tokenizer=tokenizer, reading=reading)
    if not isinstance(read, CorpusOfTexts):
        raise InputError("--save: found vectors, allowed: texts, which are read again later")
    cloud = read.at(layer, pooling)
    chosen = np.unique(np.linspace(0, len(cloud) - 1, min(MOST, len(cloud))).astype(int))
    content = {
        "model": _named(str(read.loaded.source or read.loaded.name), Path(file)),
        "layer": cloud.layer if cloud.layer is not None else -1,
        "pooling": cloud.pooling,
        "texts": cloud.table["text"].iloc[chosen].tolist(),
        "vectors": [[float(f"{value:.9g}") for value in cloud.vectors[row]] for row in chosen],
    }
    text = json.dumps(content, ensure_ascii=False, indent=1)
    write_bytes(Path(file), f"{text}\n".encode())
    return f"{counted(len(chosen), 'text')} of {cloud.corpus} by {cloud.place} in {file}"


def check_canary(
    file: str | Path, model: Any = None, *, bound: float = BOUND, tokenizer: Any = None
) -> Answer:
    """Return how far the vectors of a canary file have moved; `moved` has the texts beyond.

    The relative change of a vector is |new - old| / |old|.

    Raises:
        InputError: if `save_canary` did not write the file, the model is missing, or the dimensions
            differ.
    """
    content = _content(Path(file))
    chosen = _model_of(content, Path(file)) if model is None else model
    with within(str(file)):
        cloud = _read(content, chosen, tokenizer)
    old = np.array(content["vectors"], dtype=np.float64)
    if cloud.vectors.shape != old.shape:
        raise InputError(
            f"{file}: has {old.shape[0]} vectors of {old.shape[1]} dimensions, but {chosen} makes "
            f"{cloud.vectors.shape[0]} of {cloud.vectors.shape[1]}"
        )
    change = _changes(cloud.vectors.astype(np.float64), old)
    table = pd.DataFrame(
        {"change": change, "is_beyond": ~(change <= bound), "text": cloud.table["text"]}
    ).sort_values("change", ascending=False, kind="stable")
    moved = table[table["is_beyond"]]
    verdict = "moved" if len(moved) else "not moved"
    lines = [
        f"{verdict}: largest relative change {change.max():.3g}, median {np.median(change):.3g}; "
        f"{counted(len(moved), 'text')} of {len(table)} beyond {bound:g}",
        *(f"  {row['change']:.3g}  {snippet(row['text'])}" for _, row in moved.head(5).iterrows()),
    ]
    sentence = (
        f"The vectors of {len(table)} fixed texts by {cloud.place} differ from those of {file} by "
        f"at most {change.max():.2g} of their length (bound {bound:g})."
    )
    return Answer("\n".join(lines), sentence, {"texts": table, "moved": moved})


def _named(model: str, file: Path) -> str:
    """Return the path of a model's folder from the file's own; both can then move together."""
    if not (Path(model).is_absolute() or model.startswith(FOLDER)):
        return model
    relative = Path(os.path.relpath(Path(model).resolve(), file.parent.resolve())).as_posix()
    return relative if relative.startswith("../") else f"./{relative}"


def _model_of(content: dict[str, Any], file: Path) -> str:
    name = str(content["model"])
    if not (name.startswith(FOLDER) or Path(name).is_absolute()):
        return name
    folder = (file.parent.resolve() / name).resolve()
    if not folder.is_dir():
        raise InputError(
            f"{file}: model: found '{name}', allowed: a folder from that of the file, but there is "
            f"no {folder}; name the model by --model"
        )
    return str(folder)


def _read(content: dict[str, Any], model: Any, tokenizer: Any) -> TextVectors:
    read = read_corpus(content["texts"], model=model, tokenizer=tokenizer)
    try:
        return read.at(content["layer"], content["pooling"])
    except InputError as error:  # a key of the file, no option
        raise InputError(str(error).removeprefix("--")) from None


def _changes(
    new: Float[np.ndarray, "text dim"], old: Float[np.ndarray, "text dim"]
) -> Float[np.ndarray, " text"]:
    length = norms(old)
    return ratio(norms(new - old), np.where(length > 0, length, np.nan))


def _content(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{file}: cannot be read: {reason_of(error)}") from None
    if not isinstance(content, dict) or set(content) != KEYS:
        raise InputError(
            f"{file}: found {shortened(content)}, allowed: the keys {', '.join(sorted(KEYS))}, as "
            "`embspace drift TEXTS --save` writes"
        )
    with within(str(file)):
        _check_values(content)
    return content


def _check_values(content: dict[str, Any]) -> None:
    for key in ("model", "pooling"):
        _check(key, content[key], _is_text(content[key]), "a name")
    _check("layer", content["layer"], type(content["layer"]) is int, "a whole number")
    for key in ("texts", "vectors"):
        _check(key, content[key], isinstance(content[key], list), "a list")
    for number, text in enumerate(content["texts"], 1):
        _check(f"texts: entry {number}", text, _is_text(text), "a text")
    for number, row in enumerate(content["vectors"], 1):
        _check(f"vectors: entry {number}", row, _is_vector(row), "a list of float32 numbers")
    lengths = sorted({len(row) for row in content["vectors"]})
    _check("vectors: numbers in an entry", lengths, len(lengths) < 2, "as many in each")
    n, n_texts = len(content["vectors"]), len(content["texts"])
    _check("vectors", n, n == n_texts, f"{n_texts}, one a text")


def _check(key: str, value: object, is_right: bool, allowed: str) -> None:
    if not is_right:
        raise InputError(f"{key}: found {shortened(value)}, allowed: {allowed}")


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_vector(row: object) -> bool:
    return isinstance(row, list) and all(
        type(value) in (int, float) and abs(value) <= LARGEST for value in row
    )
