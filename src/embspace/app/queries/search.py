"""Command `embspace search`: lists the windows of a corpus that are most like a query."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.app.queries.corpus_space import (
    check_fresh,
    check_query,
    load_corpus_space,
    outdated,
)
from embspace.geometry.pairs.directions import cosine_matrix

SNIPPET = 160  # characters


@dataclass(frozen=True)
class Hit:
    """A window and how like the query it is."""

    cosine: float
    text: str
    window: int
    snippet: str


def nearest_windows(
    query: Float[np.ndarray, " dim"],
    vectors: Float[np.ndarray, "window dim"],
    windows: pd.DataFrame,
    tokens: pd.DataFrame,
    texts: pd.DataFrame,
    n_hits: int,
) -> list[Hit]:
    """Return the windows of the largest cosine, equal ones in their order in the corpus.

    Raises:
        InputError: if the windows are not those of the texts.
    """
    content = texts.set_index("id")["text"]
    if len(vectors) != len(windows) or set(windows["text"]) != set(content.index):
        raise outdated()
    cosine = np.nan_to_num(cosine_matrix(query[None], vectors)[0], nan=-np.inf)
    best = np.argsort(-cosine, kind="stable")[:n_hits]
    hits = []
    for row in best:
        name, number = windows["text"].iloc[row], int(windows["window"].iloc[row])
        first = windows["first_token"].iloc[row]
        inside = tokens.iloc[first : first + windows["n_tokens"].iloc[row]]
        inside = inside[~inside["special"]]
        start = int(inside["start"].min()) if len(inside) else 0
        end = int(inside["end"].max()) if len(inside) else 0
        hits.append(Hit(float(cosine[row]), name, number, _snippet(content[name][start:end])))
    return hits


def search(
    model_name: str, corpus: str, query: str, *, layer: int, pooling: str | None, n_hits: int
) -> list[Hit]:
    """Encode the query by the model and look among the extracted windows of the corpus.

    By the vectors of a sentence model, among its texts.

    Raises:
        InputError: naming what is not known, not extracted, out of range, or too long.
    """
    from embspace.files.rows import load_rows

    check_query(query)
    space = load_corpus_space(model_name, corpus, layer, pooling)
    tokens = load_rows(f"{space.path}.tokens.parquet")
    tokenizer = space.load_tokenizer()
    (encoded,) = space.encode([query], tokenizer)
    texts = space.texts
    hits = nearest_windows(encoded, space.vectors, space.rows, tokens, texts, n_hits)
    check_fresh({hit.text for hit in hits}, space.windows, tokens, texts, tokenizer)
    return hits


def _snippet(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= SNIPPET else f"{flat[: SNIPPET - 1].rstrip()}…"
