"""Stage `measure_sentence_similarity`: how alike a model finds the texts of a corpus, by layer."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from pydantic import PositiveInt

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.files.rows import load_rows
from embspace.geometry.pairs.directions import norms, unit_rows
from embspace.measure.tables.columns import shown
from embspace.measure.tables.text_poolings import load_text_states
from embspace.settings.stage import run_stage

BLOCK_ROWS = 512  # of all cosines that are in memory at once


@dataclass(frozen=True)
class PooledStates:
    """The pooled hidden states of the windows of a corpus, and the table of the windows."""

    by_pooling: dict[str, Float[np.ndarray, "layer window dim"]]
    windows: pd.DataFrame


def load_corpora(states: str, corpora: list[str]) -> dict[str, PooledStates]:
    """Return the pooled states of each corpus, from the folder of a model's states."""
    pooled = load_text_states({corpus: f"{states}/{corpus}.safetensors" for corpus in corpora})
    return {
        corpus: PooledStates(by_pooling, load_rows(f"{states}/{corpus}.windows.parquet"))
        for corpus, by_pooling in pooled.items()
    }


SENTENCE_SIMILARITY = Analysis(
    noun="sentence_similarity",
    question="How alike does the model find texts, layer by layer?",
    reads={
        "corpora": Source(load_corpora, "data/extracted/hidden_states/{model}", lists=["corpora"])
    },
    tables={
        "csv": Table(
            dict.fromkeys(("corpus", "pooling", "layer"), "row")
            | {"n_pairs": "count"}
            | shown("row", "rank")
            | {"first": ("name", "first text"), "second": ("name", "second text")}
            | shown("cosine", "cosine")
            | {"euclidean_distance": ("distance", "Euclidean distance")}
            | {"unit_manhattan_distance": ("distance", "Manhattan distance, unit length")}
        )
    },
)


def measure_sentence_similarity(
    corpora: dict[str, PooledStates], *, n_listed: PositiveInt
) -> Outcome:
    """List the most similar pairs of windows of different texts, by corpus, layer and pooling.

    By cosine, at most `n_listed` of the `n_pairs` pairs. A window of a text with several is named
    `<text>#<window>`; two windows of one text share tokens and are no pair. `euclidean_distance` is
    between unscaled vectors, `unit_manhattan_distance` between vectors of unit length, as printed
    in model cards of sentence-transformers. For a decoder the last token is a pooling, too.
    """
    parts = []
    for corpus, states in corpora.items():
        if states.windows.empty:  # as of vectors alone, whose states have no dimension
            continue
        for pooling, layers in states.by_pooling.items():
            for layer, vectors in enumerate(layers):
                table = most_similar(vectors, states.windows, n_listed)
                parts.append(table.assign(corpus=corpus, pooling=pooling, layer=layer))
    if not parts:
        return SENTENCE_SIMILARITY.empty()
    return {"csv": pd.concat(parts, ignore_index=True)}


def window_names(windows: pd.DataFrame) -> np.ndarray:
    """Return the text's id by window, with the window's number from the second on."""
    rows = zip(windows["text"], windows["window"], strict=True)
    return np.array([f"{text}#{number}" if number else text for text, number in rows], dtype=object)


def most_similar(
    x: Float[np.ndarray, "n dim"], windows: pd.DataFrame, n_listed: int
) -> pd.DataFrame:
    """Return the pairs of the largest cosine, with their rank and three measures."""
    text, name = windows["text"].to_numpy(), window_names(windows)
    same = np.unique(text, return_counts=True)[1]
    unit = unit_rows(x.astype(np.float64))
    cosine, i, j = largest_cosines(unit, text, n_listed)
    return pd.DataFrame(
        {
            "n_pairs": len(x) * (len(x) - 1) // 2 - int((same * (same - 1) // 2).sum()),
            "rank": np.arange(1, len(i) + 1),
            "first": name[i],
            "second": name[j],
            "cosine": cosine,
            "euclidean_distance": norms(x[i].astype(np.float64) - x[j]),
            "unit_manhattan_distance": np.abs(unit[i] - unit[j]).sum(axis=1),
        }
    )


def largest_cosines(
    unit: Float[np.ndarray, "n dim"], text: np.ndarray, n_listed: int
) -> tuple[Float[np.ndarray, " pair"], Int[np.ndarray, " pair"], Int[np.ndarray, " pair"]]:
    """Return cosine and rows i < j of the most similar pairs of different texts, of unit vectors.

    Cosines that are equal to twelve digits are ties, and go to the smallest (i, j).
    """
    best, first, second = np.empty(0), np.empty(0, np.int64), np.empty(0, np.int64)
    for start in range(0, len(unit), BLOCK_ROWS):
        rows = np.arange(start, min(start + BLOCK_ROWS, len(unit)))
        cosine = np.round(unit[rows] @ unit[start:].T, 12)
        cosine[np.tril_indices_from(cosine)] = -np.inf  # i < j alone
        cosine[text[rows][:, None] == text[start:]] = -np.inf
        # Most pairs are out already; the rest is sorted with the best so far. Of ties at the bar,
        # the first n_listed are enough.
        bar = _bar(cosine, best, n_listed)
        chosen = [np.flatnonzero(cosine > bar), np.flatnonzero(cosine == bar)[:n_listed]]
        i, j = np.unravel_index(np.sort(np.concatenate(chosen)), cosine.shape)
        candidates = np.concatenate([best, cosine[i, j]])
        kept = np.argsort(-candidates, kind="stable")[:n_listed]
        best = candidates[kept]
        first = np.concatenate([first, rows[i]])[kept]
        second = np.concatenate([second, start + j])[kept]
    listed = best > -np.inf
    return best[listed], first[listed], second[listed]


def _bar(
    cosine: Float[np.ndarray, "row column"], best: Float[np.ndarray, " pair"], n_listed: int
) -> float:
    """Return a cosine below which no pair of a block can be among the most similar."""
    bar = -np.inf
    if cosine.size > n_listed:
        bar = float(np.partition(cosine, cosine.size - n_listed, axis=None)[-n_listed])
    return max(bar, float(best[-1]) if len(best) == n_listed else -np.inf)


main = SENTENCE_SIMILARITY.main(measure_sentence_similarity)

if __name__ == "__main__":
    run_stage(main, measure_sentence_similarity)
