"""Measures how far ordered points lie along one line, however bent."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.pairs.directions import distance_matrix
from embspace.geometry.pairs.door import takes_arrays

ROUNDING = 1e-12


@dataclass(frozen=True)
class OneDimensionality:
    """Two measures, each beside its value for points in random order."""

    n: int
    order_correlation: float
    """|Spearman's correlation| of the given order with that along the spanning tree, in [0, 1]."""
    null_order_correlation: float
    """Mean over shuffled orders."""
    null_order_correlation_high: float
    """The 97.5 per cent quantile of the draws."""
    adjacent_neighbor_share: float
    """The share of inner points whose two nearest points are their two neighbors in order."""
    null_adjacent_neighbor_share: float
    """Exact: 1 over the number of pairs of other points."""


@takes_arrays(invariant_to=["rotation", "scale", "translation"])
def one_dimensionality(
    x: Float[np.ndarray, "n dim"],
    positions: Int[np.ndarray, " n"],
    *,
    n_shuffles: int,
    rng: np.random.Generator,
) -> OneDimensionality:
    """Whether points lie along a line in the order of `positions`, by Euclidean distance.

    A point counts for the neighbor share when positions i - 1 and i + 1 are both among the
    points. Ties in distance go to the earlier row, and distances that only rounding tells apart
    are ties. All shares and correlations are NaN where all points are one.

    Args:
        x: Some thousands of points at most: all distances are held.
        positions: Ascending numbers.
        n_shuffles: Orders drawn for the null.
        rng: Draws them.

    Raises:
        ValueError: fewer than 4 points, or positions that do not ascend.
    """
    if len(x) < 4:
        raise ValueError(f"x: expected at least 4 points, found {len(x)}")
    if not (np.diff(positions) > 0).all():
        raise ValueError("positions: expected ascending numbers")
    distances = tied(distance_matrix(x))
    ranks = _centered_ranks(order_along_tree(distances))
    own = _centered_ranks(positions.astype(np.float64))
    scale = np.linalg.norm(ranks) * np.linalg.norm(own) or np.nan
    shuffled = [abs(rng.permutation(own) @ ranks) / scale for _ in range(n_shuffles)]
    return OneDimensionality(
        n=len(x),
        order_correlation=float(abs(own @ ranks) / scale),
        null_order_correlation=float(np.mean(shuffled)),
        null_order_correlation_high=float(np.quantile(shuffled, 0.975)),
        adjacent_neighbor_share=_adjacent_neighbor_share(distances, positions),
        null_adjacent_neighbor_share=2 / ((len(x) - 1) * (len(x) - 2)),
    )


@takes_arrays()
def order_along_tree(distances: Float[np.ndarray, "n n"]) -> Float[np.ndarray, " n"]:
    """Return the place of the points along the longest path of the minimum spanning tree.

    In units of the distance, from one end; all points of a branch stand where the branch begins.
    Ends equal up to rounding are tied: the earlier row is taken.
    """
    edges, lengths = spanning_tree(distances)
    steps = _tree_distances(edges, lengths)
    one = _farthest(steps[0])
    other = _farthest(steps[one])
    # Of a point p: half of d(one, p) + d(one, other) - d(other, p), as in any tree.
    places = (steps[one] + steps[one, other] - steps[other]) / 2
    return tied(places)


def tied(values: Float[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """Return the values, with values equal up to rounding set to their smallest.

    The order of the values then does not depend on the unit or on the place of the points. Rounding
    is under `ROUNDING` of the largest.
    """
    ascending = np.sort(values, axis=None)
    rounding = ROUNDING * np.abs(ascending[[0, -1]]).max()
    steps = np.diff(ascending, prepend=-np.inf)
    if not ((steps > 0) & (steps <= rounding)).any():  # as nearly always, and far sooner known
        return values.copy()
    order = np.argsort(values, axis=None, kind="stable")
    is_new = steps > rounding
    first = np.maximum.accumulate(np.where(is_new, np.arange(len(order)), 0))
    equal = np.empty_like(ascending)
    equal[order] = ascending[first]
    return equal.reshape(values.shape)


def _farthest(steps: Float[np.ndarray, " n"]) -> int:
    """Return the first of the points that are farthest up to rounding."""
    return int(np.argmax(steps >= steps.max() * (1 - ROUNDING)))


def _centered_ranks(values: np.ndarray) -> np.ndarray:
    from scipy.stats import rankdata

    return rankdata(values) - (len(values) + 1) / 2


def spanning_tree(distances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Prim's algorithm: the parent of every point but the first, in the order of joining.

    SciPy's function takes a distance of zero, as between copies, for a missing edge.
    """
    n = len(distances)
    nearest, parent = distances[0].copy(), np.zeros(n, dtype=np.int64)
    outside = np.ones(n, dtype=np.bool_)
    outside[0] = False
    joined = []
    for _ in range(n - 1):
        new = int(np.argmin(np.where(outside, nearest, np.inf)))
        joined.append((new, parent[new]))
        outside[new] = False
        closer = outside & (distances[new] < nearest)
        nearest[closer], parent[closer] = distances[new, closer], new
    edges = np.array(joined, dtype=np.int64)
    return edges, distances[edges[:, 0], edges[:, 1]]


def _tree_distances(edges: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Path lengths between all points; an edge joins a new point to a present point."""
    n = len(edges) + 1
    steps = np.zeros((n, n))
    there = np.zeros(n, dtype=np.bool_)
    there[0] = True
    for (new, parent), length in zip(edges, lengths, strict=True):
        steps[new, there] = steps[there, new] = steps[parent, there] + length
        there[new] = True
    return steps


def _adjacent_neighbor_share(distances: np.ndarray, positions: np.ndarray) -> float:
    """NaN where no point has both neighbors, or all are in one place."""
    apart = distances + np.diag(np.full(len(distances), np.inf))
    nearest = np.sort(np.argsort(apart, axis=1, kind="stable")[:, :2], axis=1)
    inner = np.flatnonzero((np.diff(positions)[:-1] == 1) & (np.diff(positions)[1:] == 1)) + 1
    if not len(inner) or not distances.any():
        return float("nan")
    return float(np.mean((nearest[inner] == np.column_stack([inner - 1, inner + 1])).all(axis=1)))
