"""Stage `measure_sentence_similarity`: how alike a model finds the texts of a corpus, by layer."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float
from pydantic import PositiveInt

from embspace.config import StageConfig, run_stage
from embspace.files.rows import load_rows
from embspace.files.tables import save_table
from embspace.files.tensors import load_tensors
from embspace.geometry.directions import norms, unit_rows
from embspace.geometry.extremes import ExtremePairs
from embspace.geometry.pairs import scan_pairs
from embspace.pooling import POOLINGS


@dataclass(frozen=True)
class PooledStates:
    """The pooled hidden states of the windows of a corpus, and the table of the windows."""

    by_pooling: dict[str, Float[np.ndarray, "layer window dim"]]
    windows: pd.DataFrame


def measure_sentence_similarity(
    corpora: dict[str, PooledStates], *, n_listed: PositiveInt
) -> pd.DataFrame:
    """The most similar pairs of windows of different texts, for each corpus, layer and pooling.

    By cosine, `n_listed` at most of `n_pairs` that there are. The window of a text that has
    several is named `<text>#<window>`; two windows of one text share tokens and are no pair.
    `euclidean_distance` is between vectors as they are, `unit_manhattan_distance` between
    vectors of unit length, as model cards of sentence-transformers print it.
    """
    parts = []
    for corpus, states in corpora.items():
        for pooling, layers in states.by_pooling.items():
            for layer, vectors in enumerate(layers):
                table = most_similar(vectors, states.windows, n_listed)
                parts.append(table.assign(corpus=corpus, pooling=pooling, layer=layer))
    table = pd.concat(parts, ignore_index=True)
    keys = ["corpus", "pooling", "layer"]
    return table[keys + [column for column in table if column not in keys]]


def window_names(windows: pd.DataFrame) -> np.ndarray:
    """The text's id, with the window's number from the second window on."""
    number = np.where(windows["window"] > 0, "#" + windows["window"].astype(str), "")
    return (windows["text"] + number).to_numpy()


def most_similar(
    x: Float[np.ndarray, "n dim"], windows: pd.DataFrame, n_listed: int
) -> pd.DataFrame:
    """The pairs of the largest cosine: n_pairs, rank, first, second and three measures."""
    text, name = windows["text"].to_numpy(), window_names(windows)
    per_text = windows["text"].value_counts()
    n_same = int((per_text * (per_text - 1) // 2).sum())
    pairs = _largest_cosines(x, n_listed + n_same)
    kept = np.flatnonzero(text[pairs.first] != text[pairs.second])[:n_listed]
    i, j = pairs.first[kept], pairs.second[kept]
    first, second = x[i].astype(np.float64), x[j].astype(np.float64)
    return pd.DataFrame(
        {
            "n_pairs": len(x) * (len(x) - 1) // 2 - n_same,
            "rank": np.arange(1, len(kept) + 1),
            "first": name[i],
            "second": name[j],
            "cosine": pairs.cosine[kept],
            "euclidean_distance": norms(first - second),
            "unit_manhattan_distance": np.abs(unit_rows(first) - unit_rows(second)).sum(axis=1),
        }
    )


def _largest_cosines(x: Float[np.ndarray, "n dim"], n: int) -> ExtremePairs:
    if len(x) < 2:  # a corpus of one text has no pair
        none = np.empty(0, np.int64)
        return ExtremePairs(0, "largest", none, none, np.empty(0))
    scan = scan_pairs(x, n_bins=1, n_extremes=n)
    return next(pairs for pairs in scan.extremes if pairs.order == "largest")


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    extracted = f"data/extracted/hidden_states/{name}"
    corpora = {
        corpus: PooledStates(
            load_tensors(f"{extracted}/{corpus}.safetensors", POOLINGS),
            load_rows(f"{extracted}/{corpus}.windows.parquet"),
        )
        for corpus in config.corpora
    }
    table = measure_sentence_similarity(corpora, **config.settings)
    save_table(table, f"results/sentence_similarity/{name}.csv")


if __name__ == "__main__":
    run_stage(main, measure_sentence_similarity)
