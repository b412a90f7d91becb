"""Information imbalance of every two of many views of the same points, of halves and shuffles."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from embspace.geometry.inference.half_samples import (
    half_sample_error,
    half_units,
    student_quantile,
)
from embspace.geometry.pairs.directions import norms
from embspace.geometry.pairs.types import Vectors

# As in `information_imbalance`: squared distances are multiples of this share of the largest
# squared norm, so that rounding tells no equal ones apart.
TIE = 1e-12
FEWEST = 4  # points, of which there are halves
Imbalance = Float[np.ndarray, "view other_view"]


@dataclass(frozen=True)
class ImbalanceDraws:
    """Imbalances of every two views, with intervals over points and a null of unrelated views."""

    value: Imbalance
    """From the view of the row to that of the column; 2/n times the mean rank."""
    low: Imbalance
    """NaN without halves, as all other bounds."""
    high: Imbalance
    asymmetry: Imbalance
    """The value less the value of the reverse direction; negative if the row's view holds more."""
    asymmetry_low: Imbalance
    asymmetry_high: Imbalance
    null_mean: Imbalance
    """The values of draws with the points of the column's view in random order."""
    null_smallest: Imbalance


def imbalance_draws(
    views: Sequence[Any],
    *,
    k: int,
    n_half_samples: int,
    n_shuffles: int,
    level: float,
    rng: np.random.Generator,
) -> ImbalanceDraws:
    """Return `information_imbalance` of every two views, with intervals and shuffled points.

    `views` are arrays of vectors, (n, dim), of any dim. Row i of all views is the same point, and
    points are independent. Intervals are as in `estimate_over_texts`: halves of the points scatter
    about their own mean as all do about the expectation. The asymmetry takes both directions of the
    same half.

    Raises:
        ValueError: views with different numbers of points, fewer than 4 points, or `k` under 1 or
            too large for half of the points.
    """
    sizes = sorted({len(view) for view in views})
    if len(sizes) != 1 or sizes[0] < FEWEST:
        raise ValueError(f"views: expected one number of points, 4 or more, found {sizes}")
    n = sizes[0]
    if not 1 <= k < n // 2:
        raise ValueError(f"k: expected 1 to {n // 2 - 1}, neighbors in half of the points: {k}")
    distances = [_squared_distances(view) for view in views]
    near, ranks = _near_and_ranks(distances, k)
    value = _imbalances(near, ranks)
    halves = half_units(n, n_half_samples, rng)
    drawn = np.array([_part_imbalances(distances, np.flatnonzero(half), k) for half in halves])
    drawn = drawn.reshape(-1, *value.shape)  # also of no half
    reach = student_quantile(n, len(halves), level)
    error = half_sample_error(drawn, n) * reach
    asymmetry = value - value.T
    asymmetry_error = half_sample_error(drawn - drawn.swapaxes(1, 2), n) * reach
    orders = [rng.permutation(n) for _ in range(n_shuffles)]
    null = np.array([_imbalances(near, ranks[:, order][:, :, order]) for order in orders])
    return ImbalanceDraws(
        value=value,
        low=value - error,
        high=value + error,
        asymmetry=asymmetry,
        asymmetry_low=asymmetry - asymmetry_error,
        asymmetry_high=asymmetry + asymmetry_error,
        null_mean=null.mean(axis=0),
        null_smallest=null.min(axis=0),
    )


def view_imbalances(views: Sequence[Any], *, k: int) -> Imbalance:
    """Return `information_imbalance` of every two views of the same points, without intervals."""
    return _imbalances(*_near_and_ranks([_squared_distances(view) for view in views], k))


def _squared_distances(x: Vectors) -> Float[np.ndarray, "n n"]:
    """Return squared distances in whole multiples of a tie; infinite from a point to itself."""
    centered = (x - x[0]).astype(np.float64)
    centered -= centered.mean(axis=0)  # of equal rows exactly zero
    squared = np.square(norms(centered))
    unit = TIE * squared.max() or 1.0
    distances = squared[:, np.newaxis] + squared - 2 * (centered @ centered.T)
    distances = np.round(distances / unit).clip(min=0)
    np.fill_diagonal(distances, np.inf)
    return distances


def _near_and_ranks(
    distances: Sequence[Float[np.ndarray, "n n"]], k: int
) -> tuple[Float[np.ndarray, "view n n"], Float[np.ndarray, "view n n"]]:
    """The weights of points among the k nearest, and the ranks of points; ties rank first."""
    from scipy.stats import rankdata

    near, ranks = [], []
    for matrix in distances:
        farthest = np.partition(matrix, k - 1, axis=1)[:, k - 1 : k]
        nearer, equal = matrix < farthest, matrix == farthest
        share = (k - nearer.sum(axis=1, keepdims=True)) / equal.sum(axis=1, keepdims=True)
        near.append((nearer + share * equal) / k)
        ranks.append(rankdata(matrix, axis=1, method="min"))
    return np.array(near), np.array(ranks, dtype=np.float64)


def _imbalances(
    near: Float[np.ndarray, "view n n"], ranks: Float[np.ndarray, "view n n"]
) -> Imbalance:
    n = near.shape[1]
    rank_sums: Imbalance = near.reshape(len(near), -1) @ ranks.reshape(len(ranks), -1).T
    return rank_sums * 2 / n**2


def _part_imbalances(
    distances: Sequence[Float[np.ndarray, "n n"]], rows: np.ndarray, k: int
) -> Imbalance:
    parts = [matrix[np.ix_(rows, rows)] for matrix in distances]
    return _imbalances(*_near_and_ranks(parts, k))
