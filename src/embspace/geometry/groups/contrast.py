"""Measures how far groups of few points lie apart, for many groupings at once."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.groups.groups import nearest_others
from embspace.geometry.pairs.safe_ratio import ratio

TIE = 1e-5  # of the largest distance: what rounding in float32 may do to equal distances


@dataclass(frozen=True, eq=False)
class GroupContrast:
    """The contrast of every draw of groups in every distance matrix; NaN if undefined."""

    within: Float[np.ndarray, "draw stack"]
    """Mean distance over the pairs of a group; every pair counts once."""
    between: Float[np.ndarray, "draw stack"]
    """Over the pairs of different groups."""
    accuracy: Float[np.ndarray, "draw stack"]
    """Share of points with the nearest further point in the same group; ties share."""


def contrast_groups(
    distances: Float[np.ndarray, "stack n n"], group: Int[np.ndarray, "draw n"]
) -> GroupContrast:
    """Mean distances within and between groups, and leave-one-out accuracy of the neighbor.

    All three are linear in the pairs within a group: a draw costs one row of a matrix product. A
    matrix with a NaN has none. `distances` are symmetric.
    """
    first, second = np.triu_indices(distances.shape[-1], 1)
    same = (group[:, first] == group[:, second]).astype(np.float64)
    pair_distances, neighbor = distances[:, first, second], neighbor_weights(distances)
    shared = neighbor[:, first, second] + neighbor[:, second, first]
    n_points = distances.shape[-1] if distances.shape[-1] > 1 else np.nan
    return GroupContrast(
        within=_mean_over(pair_distances, same),
        between=_mean_over(pair_distances, 1 - same),
        accuracy=np.einsum("dp,sp->ds", same, shared) / n_points,
    )


def _mean_over(
    values: Float[np.ndarray, "stack pair"], chosen: Float[np.ndarray, "draw pair"]
) -> Float[np.ndarray, "draw stack"]:
    # Not by BLAS, which may add the same pairs in another order in another row: equal draws are
    # to be equal.
    sums = np.einsum("dp,sp->ds", chosen, values)
    return ratio(sums, chosen.sum(axis=1, keepdims=True))


def neighbor_weights(distances: Float[np.ndarray, "stack n n"]) -> Float[np.ndarray, "stack n n"]:
    """Return 1 over the number of nearest other points at those points, by row, and 0 elsewhere.

    Points are equally near if their distances differ by no more than `TIE` of the largest. NaN
    throughout a matrix that holds a NaN, or a single point.
    """
    defined = ~np.isnan(distances).any(axis=(-2, -1), keepdims=True)
    nearest = nearest_others(distances, tie=TIE) & defined
    return ratio(nearest.astype(np.int64), nearest.sum(axis=-1, keepdims=True))


def chance_accuracy(group: Int[np.ndarray, " n"]) -> float:
    """Expected leave-one-out accuracy of the nearest neighbor when labels are dealt at random.

    Whatever the points: each one's neighbor is fixed, and two given points are of one group with
    probability sum m (m - 1) / (n (n - 1)) over groups of m points. 2/5 for two groups of three.
    NaN for fewer than two points.
    """
    n = len(group)
    sizes = np.unique(group, return_counts=True)[1]
    return float((sizes * (sizes - 1)).sum() / (n * (n - 1))) if n > 1 else float("nan")


def relabelings(
    group: Int[np.ndarray, " n"], n_draws: int, generator: np.random.Generator
) -> Int[np.ndarray, "draw n"]:
    """Return the given labels, then the labels dealt out at random `n_draws` times.

    All splits into groups of these sizes are equally likely, the true split included.
    """
    dealt = generator.permuted(np.tile(group, (n_draws, 1)), axis=1)
    return np.concatenate([group[np.newaxis], dealt])
