"""Measures how well vectors lie in the groups of their labels: silhouettes."""

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.geometry.pairs.door import takes_arrays


@takes_arrays(numbers="any", at_least=0)
def silhouettes(
    distances: Float[np.ndarray, "n n"],
    labels: Int[np.ndarray, " n"],
    chosen: Bool[np.ndarray, "choice n"],
) -> Float[np.ndarray, " choice"]:
    """Return the mean silhouette of chosen points among themselves, by choice.

    (b - a) / max(a, b) of a point: a is the mean distance from points with the same label, b from
    the nearest other label (Rousseeuw 1987, Journal of Computational and Applied Mathematics 20). 0
    for a label with a single point, and where both distances are 0. NaN with fewer than two labels
    among the chosen.
    """
    one_hot = np.eye(labels.max() + 1)[labels]
    means = []
    for inside in chosen:
        label = labels[inside]
        members = one_hot[inside]
        counts = members.sum(axis=0)
        if (counts > 0).sum() < 2:
            means.append(np.nan)
            continue
        sums = distances[np.ix_(inside, inside)] @ members
        means.append(_mean_silhouette(sums, label, counts))
    return np.array(means)


def _mean_silhouette(
    sums: Float[np.ndarray, "n label"],
    labels: Int[np.ndarray, " n"],
    counts: Float[np.ndarray, " label"],
) -> float:
    rows = np.arange(len(labels))
    n_others = counts[labels] - 1
    own = sums[rows, labels] / np.maximum(n_others, 1)
    means = np.divide(sums, counts, where=counts > 0, out=np.full_like(sums, np.inf))
    means[rows, labels] = np.inf
    nearest = means.min(axis=1)
    larger = np.maximum(own, nearest)
    defined = (n_others > 0) & (larger > 0)
    values = np.divide(nearest - own, larger, where=defined, out=np.zeros(len(labels)))
    return float(values.mean())
