"""A space to export: the vectors and a table of the rows."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.app.queries.loading import without_report_of_weights
from embspace.errors import InputError, not_among, one_line
from embspace.files.formats.endings import stem_of
from embspace.settings.params import read_params

LEARNED = ("input", "positional", "segment")
OF_TEXTS = ("texts", "tokens")
SNIPPET = 160  # characters
COORDINATES = ("x", "y", "vector")  # columns that are added to the rows


@dataclass(frozen=True, eq=False)
class ExportedSpace:
    """Vectors, and for every a row with at least `label` and `group`."""

    name: str
    vectors: Float[np.ndarray, "row dim"]
    rows: pd.DataFrame


def learned_space(model: str, space: str) -> ExportedSpace:
    """Return a learned table of a model: `input`, `positional` or `segment`.

    `model` is a model that `embspace.spaces` takes, or vectors of conf/model/; the tree is the
    current folder.

    Raises:
        InputError: if the model cannot be read, or has no such table.
    """
    from embspace.extract.embeddings import extract_embeddings
    from embspace.loaded.model import description_of

    name, description = description_of(model, Path.cwd())
    with without_report_of_weights():
        matrices, vocabulary = extract_embeddings(name, description)
    there = [space for space in LEARNED if space in matrices]
    if space not in there:
        raise InputError(f"space of {name}: {not_among(space, [*there, *OF_TEXTS])}")
    x = matrices[space]
    if space == "input":
        return _space(f"{name}-input", x, vocabulary, vocabulary["token"], vocabulary["kind"])
    rows = pd.DataFrame({"id": range(len(x))})
    return _space(f"{name}-{space}", x, rows, rows["id"], pd.Series([space] * len(x)))


def texts_space(model: str, corpus: str, layer: int, pooling: str) -> ExportedSpace:
    """Return the windows of a corpus at a layer and pooling; layer -1 is the last.

    Raises:
        InputError: naming what is unknown, cannot be read, or is out of range.
    """
    from embspace.app.queries.corpus_space import reference_space

    space = reference_space(model, corpus, layer, pooling)
    about, rows = space.texts.set_index("id"), space.rows
    for column in about.columns.difference(["text", *rows.columns], sort=False):
        rows = rows.assign(**{column: about[column].reindex(rows["text"]).to_numpy()})
    content = about["text"].reindex(rows["text"])
    rows["words"] = [
        one_line(text[start:end])[:SNIPPET]
        for text, start, end in zip(content, rows["start"], rows["end"], strict=True)
    ]
    group = rows["text"]
    if "subject" in rows:
        group = rows["subject"].mask(rows["subject"].fillna("") == "", rows["text"])
    name = f"{space.loaded.name}-{stem_of(Path(corpus).name)}-layer{space.layer}-{pooling}"
    return _space(name, space.vectors, rows, rows["text"], group)


def tokens_space(model: str, corpus: str, layer: int) -> ExportedSpace:
    """Return the states of all tokens of a corpus at a layer; layer -1 is the last.

    Raises:
        InputError: as `texts_space` does.
    """
    from embspace.app.queries.corpus_space import check_layer
    from embspace.loaded.model import load
    from embspace.loaded.reference import corpus_texts
    from embspace.loaded.states import read_states

    root = Path.cwd()
    loaded = load(model, root, read_params().device)
    n = loaded.module.config.num_hidden_layers + 1
    check_layer(layer, n)
    texts = corpus_texts(corpus, root, loaded.description.most_documents)
    states = read_states(loaded, texts["text"].tolist(), root, {})
    number = states.windows["text"].to_numpy(int)[states.tokens["window"].to_numpy()]
    rows = states.tokens.assign(text=texts["id"].to_numpy()[number - 1])
    name = f"{loaded.name}-{stem_of(Path(corpus).name)}-layer{layer % n}-tokens"
    return _space(name, states.tensors["token"][layer], rows, rows["token"], rows["text"])


def own_space(
    vectors: Path,
    labels: Path | None,
    *,
    header: bool | None = None,
    separator: str | None = None,
) -> ExportedSpace:
    """Return vectors of a file, with labels and groups from a second file or from the first.

    Raises:
        InputError: if a file cannot be read, or the numbers of rows differ.
    """
    from embspace.files.labels import read_labels
    from embspace.files.vectors import read_labeled_vectors

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
