"""Command `embspace search`: lists the windows of a corpus most similar to a query."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.app.queries.corpus_space import check_query, reference_space
from embspace.geometry.pairs.directions import cosine_matrix

SNIPPET = 160  # characters


@dataclass(frozen=True)
class Hit:
    """A window and its similarity to the query."""

    cosine: float
    text: str
    window: int
    snippet: str


def nearest_windows(
    query: Float[np.ndarray, " dim"],
    vectors: Float[np.ndarray, "window dim"],
    windows: pd.DataFrame,
    texts: pd.DataFrame,
    n_hits: int,
) -> list[Hit]:
    """Return the windows of the largest cosine, equal windows in the order of the corpus.

    `windows` has the columns text, window, start, end: the range of a window's characters in the
    text.
    """
    content = texts.set_index("id")["text"]
    cosine = np.nan_to_num(cosine_matrix(query[None], vectors)[0], nan=-np.inf)
    best = np.argsort(-cosine, kind="stable")[:n_hits]
    hits = []
    for row in best:
        window = windows.iloc[row]
        text = content[window["text"]]
        snippet = _snippet(text[int(window["start"]) : int(window["end"])])
        hits.append(Hit(float(cosine[row]), window["text"], int(window["window"]), snippet))
    return hits


def search(
    model_name: str, corpus: str, query: str, *, layer: int, pooling: str | None, n_hits: int
) -> list[Hit]:
    """Return the windows of a corpus most similar to a query by a model.

    By the vectors of a sentence model, return texts.

    Raises:
        InputError: naming anything unknown, out of range, or too long.
    """
    check_query(query)
    space = reference_space(model_name, corpus, layer, pooling)
    (encoded,) = space.encode([query])
    return nearest_windows(encoded, space.vectors, space.rows, space.texts, n_hits)


def _snippet(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= SNIPPET else f"{flat[: SNIPPET - 1].rstrip()}…"
