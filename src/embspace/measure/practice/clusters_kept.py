"""Whether clusters of texts stay when vectors are cut or rounded."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.geometry.inference.half_samples import half_units, units_of
from embspace.geometry.pairs.directions import unit_rows
from embspace.geometry.practice.clusters import adjusted_rand_index, k_means_labels
from embspace.geometry.practice.paired import paired_statistics
from embspace.measure.practice.scored_versions import LEVEL, N_HALF_SAMPLES, SEED, rows_of
from embspace.measure.practice.text_vectors import TextVectors

TASK = "clusters"
MOST_CLUSTERS, TEXTS_PER_CLUSTER = 20, 20
N_REFITTED = 20
REFITTED = "k-means of halves of the documents"


def clusters_kept(
    cloud: TextVectors, vectors: Mapping[str, Float[np.ndarray, "text dim"]], seed: int = SEED
) -> pd.DataFrame:
    """Return a row per version: the adjusted Rand index of its clusters with the first version's.

    Clusters are by k-means with one seed, of vectors of unit length. The last row is the noise of
    the texts: clusters of the first version, fitted on halves of the documents, with the smallest
    and the largest of 20 halves as bounds. Intervals of the other rows are over documents, the
    clusters being given.
    """
    n_clusters = min(MOST_CLUSTERS, max(len(cloud) // TEXTS_PER_CLUSTER, 2))
    directions = [unit_rows(x.astype(np.float64)) for x in vectors.values()]
    labels = [k_means_labels(x, n_clusters, seed=seed) for x in directions]
    unit, rng = units_of(cloud.documents), np.random.default_rng(seed)
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
        k_means_labels(directions[0], n_clusters, seed=seed, is_fitted=inside)
        for inside in half_units(n_units, N_REFITTED, rng)[:, unit]
        if inside.sum() >= n_clusters
    ]
    noise = [adjusted_rand_index(labels[0], other) for other in refitted]
    bounds = (np.mean(noise), min(noise), max(noise)) if noise else (np.nan,) * 3
    last = rows.iloc[[0]].assign(version=REFITTED, value=bounds[0], low=bounds[1], high=bounds[2])
    last = last.assign(difference=np.nan, difference_low=np.nan, difference_high=np.nan)
    return pd.concat([rows, last], ignore_index=True)
