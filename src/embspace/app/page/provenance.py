"""Collects the facts about the model, the texts and the machine for a report's page."""

import json
import platform
import re
from collections.abc import Iterator, Mapping
from contextlib import chdir
from importlib.metadata import version
from pathlib import Path
from typing import Any

from embspace.errors import InputError, counted
from embspace.files.tables import load_table
from embspace.settings.model import describe_model
from embspace.settings.params import CONF, PARAMS
from embspace.settings.schema import read_yaml

# Languages of a model that are, or may be, English among others: by name or code, or counted.
WITH_ENGLISH = re.compile(
    r"english|\bmulti|\b(languages|many|several|various)\b|\b(en|eng|mul)(?![a-z])", re.IGNORECASE
)


def is_decoder(folder: Path, model: str, described: dict[str, Any] | None = None) -> bool:
    """Return whether the tokens of a text see earlier tokens alone; False if unknown.

    This is known if embspace rebuilds the blocks of the architecture and the model's files are in
    place; without them, a page does not mention it. `described` is a description of a model without
    a file in conf/model/.
    """
    from embspace.models.stream.adapters import blocks_of, knows

    module = _empty(folder, model, described)
    return knows(module) and all(block.causal for block in blocks_of(module))


def has_final_norm(folder: Path, model: str) -> bool:
    """Return whether a norm follows the last layer, as the model's description says."""
    return bool(read_yaml(folder / CONF / "model" / f"{model}.yaml").get("final_norm"))


def unknown_blocks(folder: Path, model: str) -> str:
    """Return why nothing is said of a model's blocks; "" if embspace rebuilds them, or no model."""
    from embspace.models.stream.adapters import knows

    module = _empty(folder, model)
    if module is None or knows(module):
        return ""
    return f"embspace does not rebuild the blocks of {type(module).__name__}"


def shared_blocks(folder: Path, model: str) -> str:
    """Return a sentence on layers that share one block, as in ALBERT; "" if none do."""
    config = getattr(_empty(folder, model), "config", None)
    n_layers = getattr(config, "num_hidden_layers", 0)
    n_blocks = getattr(config, "num_hidden_groups", n_layers)
    if n_blocks >= n_layers:
        return ""
    return (
        f"The {n_layers} layers of this model are {counted(n_blocks, 'block')}, used again: what "
        "is read off weights is said, and its heads and units are counted, once, at the first "
        "layer of a block."
    )


def _empty(folder: Path, model: str, described: dict[str, Any] | None = None) -> Any:
    """Return a model without weights, to show its architecture; None if unknown."""
    from embspace.models.architecture import empty_reader, load_config

    description = described or read_yaml(folder / CONF / "model" / f"{model}.yaml")
    try:
        with chdir(folder):
            config = load_config(model, describe_model(model, description))
        return empty_reader(config) if config else None
    except InputError:
        return None


def corpora_of(folder: Path, model: str) -> list[dict[str, Any]]:
    """Return the labels of the corpora with the numbers of texts, windows and tokens read.

    `halved` counts the texts cut in two by `measure_search`. Numbers not computed yet are 0.
    """
    import pyarrow.parquet

    def length(file: str) -> int:
        path = folder / file
        return pyarrow.parquet.read_metadata(path).num_rows if path.is_file() else 0

    file = folder / f"results/search/{model}.csv"
    halved = dict[str, int]()
    if file.is_file():
        search = load_table(str(file))
        halved = dict(zip(search["corpus"], search["n_queries"], strict=True))
    described = []
    for name in read_yaml(folder / PARAMS)["corpora"]:
        content = read_yaml(folder / CONF / "corpus" / f"{name}.yaml")
        states = f"data/extracted/hidden_states/{model}/{name}"
        described.append(
            {
                "name": name,
                **{key: content[key] for key in ("label", "license", "language", "source")},
                "texts": length(f"data/prepared/texts/{name}.parquet"),
                "halved": halved.get(name, 0),
                "windows": length(f"{states}.windows.parquet"),
                "tokens": length(f"{states}.tokens.parquet"),
            }
        )
    return described


def facts_of(folder: Path, model: str) -> Iterator[tuple[str, str]]:
    """Yield where the model comes from, the seed and the device."""
    content = read_yaml(folder / CONF / "model" / f"{model}.yaml")
    for key in ("license", "language"):
        yield key, str(content[key])
    pinned = folder / f"data/prepared/model/{model}.json"
    pin = json.loads(pinned.read_text(encoding="utf-8")) if pinned.is_file() else {}
    for key, value in pin.items():
        if key == "sha256":
            yield from ((f"sha256 of {file}", digest) for file, digest in value.items())
        # A path is that of one machine; a config is in the description.
        elif key not in ("path", "config", "tokenizer"):
            yield key, str(value)
    params = read_yaml(folder / PARAMS)
    yield "seed", str(params["seed"])
    yield "device", str(params["device"])


def warnings_of(folder: Path, model: str) -> list[str]:
    """Return the notes for readers on the reading of the model, from the description."""
    content = read_yaml(folder / CONF / "model" / f"{model}.yaml")
    warnings = []
    if allowed := content.get("allow_unused"):
        warnings.append(
            f"Of the files of this model, {', '.join(map(str, allowed))} was left out because its "
            "description allows it: the states are those of the model without it."
        )
    if language := other_language(content):
        warnings.append(
            f"The language of this model is {language}, by its description; the stimuli of "
            "embspace, and what is found of words, homonyms and paraphrases, are in English."
        )
    if sentence := shared_blocks(folder, model):
        warnings.append(sentence)
    if note := content.get("note"):
        warnings.append(str(note).strip())
    if (how := content.get("batches", "any")) != "any":
        beside = "alone" if how == "alone" else "beside texts of its own length only"
        warnings.append(
            f"This model gives a text other states beside a longer one; each was read {beside}."
        )
    return warnings


def other_language(described: Mapping[str, Any]) -> str:
    """Return the language in a model's description, if it is known and not English; else ""."""
    language = str(described.get("language", ""))
    is_unknown = language.lower() in ("", "unknown", "none", "null")
    return "" if is_unknown or WITH_ENGLISH.search(language) else language


def this_machine() -> dict[str, str]:
    """Return the machine that wrote the page; the numbers may come from the cache."""
    libraries = ("torch", "transformers", "numpy", "scipy", "scikit-learn")
    return {
        "system": " ".join(filter(None, (platform.system(), platform.machine()))),
        "Python": platform.python_version(),
        **{library: version(library) for library in libraries},
    }
