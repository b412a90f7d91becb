"""Clusters by k-means, and whether two partitions of the same vectors are alike."""

import warnings

import numpy as np
from jaxtyping import Bool, Float, Int

N_STARTS = 4  # of k-means


def k_means_labels(
    x: Float[np.ndarray, "n dim"],
    n_clusters: int,
    *,
    seed: int,
    is_fitted: Bool[np.ndarray, " n"] | None = None,
) -> Int[np.ndarray, " n"]:
    """Return the cluster of every vector, numbered from 0; centers are fitted to `is_fitted` alone.

    By scikit-learn, the best of 4 starts. Fewer distinct vectors give fewer clusters.
    """
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    fitted = x if is_fitted is None else x[is_fitted]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        made = KMeans(n_clusters, n_init=N_STARTS, random_state=seed).fit(fitted)
    return np.asarray(made.predict(x), dtype=np.int64)


def adjusted_rand_index(first: Int[np.ndarray, " n"], second: Int[np.ndarray, " n"]) -> float:
    """Return the adjusted Rand index of two partitions (Hubert and Arabie 1985), at most 1.

    The share of pairs in agreement, less the share by chance: 0 for independent partitions, 1 for
    equal partitions. NaN if both put all vectors into a single cluster, or each into its own.
    """
    shape = (int(first.max(initial=0)) + 1, int(second.max(initial=0)) + 1)
    together = np.bincount(first * shape[1] + second, minlength=shape[0] * shape[1]).reshape(shape)
    both, rows, columns = (
        _pairs(counts) for counts in (together, together.sum(axis=1), together.sum(axis=0))
    )
    n = len(first)
    chance = rows * columns / max(n * (n - 1) / 2, 1)
    most = (rows + columns) / 2
    return float((both - chance) / (most - chance)) if most != chance else float("nan")


def _pairs(counts: Int[np.ndarray, "*cluster"]) -> float:
    return float((counts * (counts - 1) / 2).sum())
