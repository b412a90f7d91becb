"""How alike each group of sentences in `measure_synonyms` is to each other one, and in itself."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.geometry.groups.groups import group_means
from embspace.geometry.inference.resampling import stratified_interval
from embspace.measure.sentences.synonym_groups import Sentences
from embspace.measure.sentences.synonym_vectors import (
    cosines_of,
    distances_of,
    estimate_names,
    estimate_table,
)
from embspace.measure.tables.deviations import units_named

QUANTITIES = ["cosine", "euclidean_distance"]
COLUMNS = ["group_1", "group_2", "pooling", "layer", "n_pairs", *estimate_names(QUANTITIES)]


def group_pair_table(
    sentences: Sentences, *, n_half_samples: int, level: float, generator: np.random.Generator
) -> pd.DataFrame:
    """One row two groups, or a group with itself: mean cosine and distance of pairs of sentences.

    Half-samples are of the sentences within each group.
    """
    label, names = sentences.label, list(dict.fromkeys(sentences.group))
    whole = np.arange(len(label))
    pairs = [(i, j) for i in range(len(names)) for j in range(i, len(names))]
    parts = []
    streams = generator.spawn(len(sentences.vectors))
    for vectors, halves in zip(sentences.vectors, streams, strict=True):
        statistic = _statistic(vectors.trained, label, len(names))
        random = vectors.random_weights
        table = estimate_table(
            {"pair": pairs, "pooling": [vectors.pooling], "layer": range(len(vectors.trained))},
            QUANTITIES,
            statistic(whole),
            stratified_interval(
                statistic, label, n_resamples=n_half_samples, level=level, generator=halves
            ),
            None if random is None else _statistic(random, label, len(names))(whole),
        )
        table["group_1"] = [names[i] for i, _ in table["pair"]]
        table["group_2"] = [names[j] for _, j in table["pair"]]
        table["n_pairs"] = [n_pairs(np.bincount(label), i, j) for i, j in table["pair"]]
        parts.append(table.assign(**units_named(sentences.units))[COLUMNS])
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)


def n_pairs(sizes: Int[np.ndarray, " group"], i: int, j: int) -> int:
    """How many pairs of different sentences there are, one of each group."""
    return int(sizes[i] * (sizes[i] - 1) // 2 if i == j else sizes[i] * sizes[j])


def _statistic(
    x: Float[np.ndarray, "layer sentence dim"], label: Int[np.ndarray, " sentence"], n_groups: int
) -> Callable[[Int[np.ndarray, " drawn"]], Float[np.ndarray, "quantity pair layer"]]:
    measures = (cosines_of(x), distances_of(x))
    first, second = np.triu_indices(n_groups)

    def statistic(rows: Int[np.ndarray, " drawn"]) -> Float[np.ndarray, "quantity pair layer"]:
        square = np.ix_(np.arange(len(x)), rows, rows)
        means = [group_means(each[square], label[rows], n_groups) for each in measures]
        return np.stack([each[:, first, second].T for each in means])

    return statistic
