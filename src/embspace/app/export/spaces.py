"""A space to export: the vectors and a table of what its rows are."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.errors import InputError, not_among, one_line

LEARNED = ("input", "positional", "segment")
OF_TEXTS = ("texts", "tokens")
SNIPPET = 160  # characters
COORDINATES = ("x", "y", "vector")  # columns that are added to the rows


@dataclass(frozen=True, eq=False)
class ExportedSpace:
    """Vectors, and a row for each with at least `label` and `group`."""

    name: str
    vectors: Float[np.ndarray, "row dim"]
    rows: pd.DataFrame


def learned_space(model: str, space: str) -> ExportedSpace:
    """Return a learned table of a model: `input`, `positional` or `segment`.

    Raises:
        InputError: if the model was not extracted, or has no such table.
    """
    from embspace.app.queries.reported import why_not_there
    from embspace.files.rows import load_rows
    from embspace.files.tensors import load_tensors, tensor_names

    path = f"data/extracted/embeddings/{model}"
    if not Path(f"{path}.safetensors").is_file():
        why = why_not_there(model) or "`dvc repro` makes it"
        raise InputError(f"{path}.safetensors: not found; {why}")
    there = [name for name in LEARNED if name in tensor_names(f"{path}.safetensors")]
    if space not in there:
        raise InputError(f"space of {model}: {not_among(space, [*there, *OF_TEXTS])}")
    x = load_tensors(f"{path}.safetensors", (space,))[space]
    if space == "input":
        rows = load_rows(f"{path}.parquet")
        return _space(f"{model}-input", x, rows, rows["token"], rows["kind"])
    rows = pd.DataFrame({"id": range(len(x))})
    return _space(f"{model}-{space}", x, rows, rows["id"], pd.Series([space] * len(x)))


def texts_space(model: str, corpus: str, layer: int, pooling: str) -> ExportedSpace:
    """Return the windows of a corpus at a layer and pooling; layer -1 is the last one.

    Raises:
        InputError: naming what is not known, not extracted, or out of range, or if the windows are
            not those of the texts.
    """
    from embspace.app.queries.corpus_space import load_corpus_space, outdated
    from embspace.files.rows import load_rows

    space = load_corpus_space(model, corpus, layer, pooling)
    tokens = load_rows(f"{space.path}.tokens.parquet")
    about = space.texts.set_index("id")
    inside = tokens[~tokens["special"]].groupby("window")
    start, end = inside["start"].min(), inside["end"].max()
    numbers = range(len(space.windows))
    if set(space.windows["text"]) != set(about.index):
        raise outdated()
    content = about["text"].reindex(space.windows["text"])
    if (end > content.str.len().to_numpy()[end.index]).any():
        raise outdated()
    words = [
        one_line(text[int(start.get(number, 0)) : int(end.get(number, 0))])[:SNIPPET]
        for number, text in zip(numbers, content, strict=True)
    ]
    rows = space.windows.reset_index(drop=True)
    for column in about.columns.difference(["text", *rows.columns], sort=False):
        rows[column] = about[column].reindex(rows["text"]).to_numpy()
    rows["words"] = words
    rows = rows.iloc[space.rows.index]
    group = rows["text"]
    if "subject" in rows:
        group = rows["subject"].mask(rows["subject"].fillna("") == "", rows["text"])
    name = f"{model}-{corpus}-layer{space.layer}-{pooling}"
    return _space(name, space.vectors, rows, rows["text"], group)


def tokens_space(model: str, corpus: str, layer: int) -> ExportedSpace:
    """Return the states of all tokens of a corpus at a layer; layer -1 is the last one.

    Raises:
        InputError: as `texts_space` does.
    """
    from embspace.app.queries.corpus_space import load_corpus_space
    from embspace.files.rows import load_rows
    from embspace.files.tensors import map_tensors

    space = load_corpus_space(model, corpus, layer, "mean")
    rows = load_rows(f"{space.path}.tokens.parquet")
    x = np.array(map_tensors(f"{space.path}.safetensors", ("token",))["token"][space.layer])
    text = space.windows["text"].to_numpy()[rows["window"].to_numpy()]
    rows = rows.assign(text=text)
    name = f"{model}-{corpus}-layer{space.layer}-tokens"
    return _space(name, x, rows, rows["token"], rows["text"])


def own_space(
    vectors: Path,
    labels: Path | None,
    *,
    header: bool | None = None,
    separator: str | None = None,
) -> ExportedSpace:
    """Return vectors of a file, with the labels and groups of another, else of their own.

    Raises:
        InputError: if a file cannot be read, or they have other numbers of rows.
    """
    from embspace.files.formats.endings import stem_of
    from embspace.files.vectors import read_labeled_vectors, read_labels

    labeled = read_labeled_vectors(vectors, header=header, separator=separator)
    x, name = labeled.vectors, stem_of(vectors.name)
    rows = pd.DataFrame({"id": range(len(x))})
    named = labeled.labels if labels is None else read_labels(labels)
    if named is None:
        return _space(name, x, rows, rows["id"], pd.Series([""] * len(x)))
    if len(named) != len(x):
        raise InputError(f"{labels}: found {len(named)} rows, allowed: {len(x)}, one for a vector")
    group = named["group"] if "group" in named else pd.Series([""] * len(x))
    return _space(name, x, rows, named["label"], group)


def _space(
    name: str,
    x: Float[np.ndarray, "row dim"],
    rows: pd.DataFrame,
    label: pd.Series,
    group: pd.Series,
) -> ExportedSpace:
    about = rows.drop(columns=["label", "group", *COORDINATES], errors="ignore").reset_index(
        drop=True
    )
    about.insert(0, "label", label.astype(str).to_numpy())
    about.insert(1, "group", group.astype(str).to_numpy())
    return ExportedSpace(name, np.ascontiguousarray(x, dtype=np.float32), about)
