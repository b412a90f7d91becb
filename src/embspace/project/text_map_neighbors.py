"""The corpora, documents and domains of the nearest texts on a map: a table of `text_maps`."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.geometry.groups.groups import neighbors_in_group, shuffled_neighbor_shares
from embspace.geometry.inference.resampling import half_sample_interval
from embspace.geometry.pairs.neighbors import NeighborGraph

ALIKE = ("corpus", "document", "domain")


class Draws(NamedTuple):
    """Random orders of the corpora and halves of the documents, with the generators for both."""

    n_shuffles: int
    n_resamples: int
    level: float
    for_shuffles: np.random.Generator
    for_halves: np.random.Generator


def rows_of_neighbors(
    about: pd.DataFrame, nearest: NeighborGraph, key: dict[str, Any], draws: Draws
) -> list[dict[str, Any]]:
    """Return, by corpus, the share of its vectors' nearest neighbors that are of the same kind."""
    kinds = {column: pd.factorize(about[column])[0] for column in ALIKE}
    same = {column: neighbors_in_group(nearest.indices, kind) for column, kind in kinds.items()}
    shuffled = shuffled_neighbor_shares(
        nearest.indices, kinds["corpus"], n_shuffles=draws.n_shuffles, rng=draws.for_shuffles
    )
    tails = (1 - draws.level) / 2, (1 + draws.level) / 2
    bands = np.quantile(shuffled, tails, axis=0).T
    occurrence, rows = nearest.in_degrees(), []
    corpora = about.groupby("corpus", sort=False).indices
    for (corpus, members), (low, high) in zip(corpora.items(), bands, strict=True):
        row = {**key, "corpus": corpus, "n": len(members), "k": nearest.k}
        for column, kind in kinds.items():
            n_alike = np.bincount(kind)[kind[members]] - 1
            row[f"same_{column}_share"] = float(same[column][members].mean())
            row[f"chance_same_{column}_share"] = float(n_alike.mean() / (len(about) - 1))
        row["shuffled_same_corpus_share_low"], row["shuffled_same_corpus_share_high"] = low, high
        ends = _bounds(same["corpus"][members].mean(axis=1), kinds["document"][members], draws)
        row["same_corpus_share_low"], row["same_corpus_share_high"] = ends
        row["mean_k_occurrence"] = float(occurrence[members].mean())
        rows.append(row)
    return rows


def _bounds(
    shares: Float[np.ndarray, " vector"], document: Int[np.ndarray, " vector"], draws: Draws
) -> tuple[float, float]:
    """Return the bounds of the mean of shares over documents, within 0 and 1."""
    members = [np.flatnonzero(document == number) for number in np.unique(document)]
    interval = half_sample_interval(
        lambda units: shares[np.concatenate([members[unit] for unit in units])].mean(),
        len(members),
        n_resamples=draws.n_resamples,
        level=draws.level,
        generator=draws.for_halves,
    )
    return float(interval.low.clip(0, 1)), float(interval.high.clip(0, 1))
