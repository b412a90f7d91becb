"""Information imbalance: how well the neighbors in a first view predict distances in a second."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from jaxtyping import Float

from embspace.geometry.measures.declaration import measure
from embspace.geometry.pairs.directions import norms
from embspace.geometry.pairs.types import Vectors
from embspace.geometry.pairs.vectors import as_vectors

BLOCK_ROWS = 512
# Squared distances are multiples of this share of the largest squared norm, so that rounding tells
# no equal ones apart.
TIE = 1e-12
Distances = Float[np.ndarray, "row n"]


@measure(
    "hubs",
    formula=r"\Delta(X \to Y) = \frac{2}{n} \cdot \frac{1}{n k} \sum_i \sum_{j \in N_k(x_i)} "
    r"\left(1 + \#\{l \ne i : |y_l - y_i| < |y_j - y_i|\}\right)",
    range=r"[2/n,\ 2),\ 1 \text{ of independent views}",
    source="Glielmo et al. 2022, Ranking the information content of distance measures, equation 3",
    invariant_to=["rotation", "scale", "translation"],
    bias=r"Upwards: the neighbors of few vectors are far; of distinct ones at least \((k + 1)/n\).",
    profiled=False,
)
def information_imbalance(x: Vectors, other: Any, *, k: int = 1) -> float:
    """Mean rank in `other` of the `k` nearest neighbors in `x`, over half the number of vectors.

    Row i of `other` is the same point as row i of `x`, in a second layer or model. Near 0:
    neighbors in `x` are near in `other`. 1: `x` says nothing about `other`. The measure is not
    symmetric: of two views, the view with the smaller imbalance holds more. `other` may be rotated,
    scaled and moved like `x`. Equal distances in `other` all have the first rank; equal distances
    in `x` share a place among the `k` nearest in equal parts. (DADApy takes equal distances in any
    order, and may rate a rounded copy above the original cloud.)

    Raises:
        ValueError: `other` has a different number of vectors, or `k` is under 1 or over n - 1.

    Examples:
        >>> import numpy as np
        >>> x = np.random.default_rng(0).uniform(size=(1000, 2))
        >>> coarser = x[:, :1]
        >>> round(information_imbalance(x, coarser), 2), round(information_imbalance(coarser, x), 2)
        (0.04, 0.59)
    """
    y = _checked(x, other, k)
    ranks = (
        _mean_ranks(x_distances, y_distances, k)
        for x_distances, y_distances in zip(
            _squared_distances(x), _squared_distances(y), strict=True
        )
    )
    return float(np.concatenate(list(ranks)).mean() * 2 / len(x))


def _checked(x: Vectors, other: Any, k: int) -> Float[np.ndarray, "n dim_y"]:
    y = as_vectors(other, "other")
    if not isinstance(y, np.ndarray) or len(y) != len(x):
        given = y.shape if isinstance(y, np.ndarray) else type(y).__name__
        raise ValueError(f"other: expected {len(x)} vectors, the same points as x, found {given}")
    if not 1 <= k < len(x):
        raise ValueError(f"k: expected 1 to {len(x) - 1}, the other vectors, found {k}")
    return y


def _squared_distances(x: Vectors) -> Iterator[Distances]:
    """Return blocks of rows of squared distances, in whole multiples of a tie.

    The distance of a point to the same point is infinite, and the point is never a neighbor.
    """
    centered = x - x.mean(axis=0) if (x != x[0]).any() else np.zeros_like(x)
    squared = np.square(norms(centered))
    unit = TIE * squared.max() or 1.0
    for first in range(0, len(x), BLOCK_ROWS):
        rows = slice(first, first + BLOCK_ROWS)
        block = squared[rows, np.newaxis] + squared - 2 * (centered[rows] @ centered.T)
        block = np.round(block / unit).clip(min=0)
        np.fill_diagonal(block[:, rows], np.inf)
        yield block


def _mean_ranks(
    x_distances: Distances, y_distances: Distances, k: int
) -> Float[np.ndarray, " row"]:
    """Return the mean rank in y of the `k` nearest in x, per row; ties have the first rank."""
    from scipy.stats import rankdata

    farthest = np.partition(x_distances, k - 1, axis=1)[:, k - 1 : k]
    nearer, equal = x_distances < farthest, x_distances == farthest
    share = (k - nearer.sum(axis=1, keepdims=True)) / equal.sum(axis=1, keepdims=True)
    return np.asarray(
        (rankdata(y_distances, axis=1, method="min") * (nearer + share * equal)).sum(axis=1) / k
    )
