"""Whether clusters of texts stay when vectors are cut or rounded."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.app.practice.answers import interval
from embspace.app.practice.tasks import LEVEL, N_HALF_SAMPLES, SEED, rows_of
from embspace.app.practice.text_vectors import TextVectors
from embspace.geometry.inference.half_samples import half_units, units_of
from embspace.geometry.pairs.directions import unit_rows
from embspace.geometry.practice.clusters import adjusted_rand_index, k_means_labels
from embspace.geometry.practice.paired import paired_statistics

TASK = "clusters"
MOST_CLUSTERS, TEXTS_PER_CLUSTER = 20, 20
N_REFITTED = 20
REFITTED = "k-means of halves of the documents"


def clusters_kept(
    cloud: TextVectors, vectors: Mapping[str, Float[np.ndarray, "text dim"]]
) -> pd.DataFrame:
    """Return a row a version: the adjusted Rand index of its clusters with those of the first.

    Clusters are those of k-means with one seed, of vectors of unit length. The last row is the
    noise of the texts: clusters of the first version, fitted on halves of the documents, with the
    smallest and the largest of 20 halves as bounds. Intervals of other rows are over documents,
    of given clusters.
    """
    n_clusters = min(MOST_CLUSTERS, max(len(cloud) // TEXTS_PER_CLUSTER, 2))
    directions = [unit_rows(x.astype(np.float64)) for x in vectors.values()]
    labels = [k_means_labels(x, n_clusters, seed=SEED) for x in directions]
    unit, rng = units_of(cloud.documents), np.random.default_rng(SEED)
    n_units = int(unit.max()) + 1
    halves = half_units(n_units, N_HALF_SAMPLES, rng)[:, unit]
    by_half = [
        [adjusted_rand_index(labels[0][inside], other[inside]) for other in labels]
        for inside in halves
    ]
    values = np.array([adjusted_rand_index(labels[0], other) for other in labels])
    paired = paired_statistics(values, np.array(by_half), n_units, level=LEVEL)
    quantity = f"adjusted Rand index of {n_clusters} clusters"
    rows = rows_of(TASK, quantity, [*vectors], paired, cloud.documents)
    refitted = [
        k_means_labels(directions[0], n_clusters, seed=SEED, is_fitted=inside)
        for inside in half_units(n_units, N_REFITTED, rng)[:, unit]
        if inside.sum() >= n_clusters
    ]
    noise = [adjusted_rand_index(labels[0], other) for other in refitted]
    bounds = (np.mean(noise), min(noise), max(noise)) if noise else (np.nan,) * 3
    last = rows.iloc[[0]].assign(version=REFITTED, value=bounds[0], low=bounds[1], high=bounds[2])
    last = last.assign(difference=np.nan, difference_low=np.nan, difference_high=np.nan)
    return pd.concat([rows, last], ignore_index=True)


def line_of_clusters(kept: pd.DataFrame) -> str:
    """Return the noise of the texts and the smallest setting that changes clusters no more."""
    rows = kept[kept["task"] == TASK]
    noise = rows[rows["version"] == REFITTED].iloc[0]
    bounds = interval(noise["value"], noise["low"], noise["high"])
    start = f"clusters of k-means on halves of the documents keep {bounds}; smallest setting above"
    kinds = rows[(rows["version"] != REFITTED) & (rows["kind"] != "full")]
    steady = kinds[kinds["low"] >= noise["low"]].sort_values(
        ["bytes", "value"], ascending=[True, False], kind="stable"
    )
    if not len(steady):
        return f"{start} the least: none"
    return f"{start} the least: {steady['version'].iloc[0]}, {steady['bytes'].iloc[0]:,.0f} bytes"
