"""Measures how far points of a ring in space still form a ring in a map."""

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.maps.lines import order_along_tree, tied
from embspace.geometry.pairs.directions import distance_matrix, is_constant
from embspace.geometry.pairs.door import takes_arrays


@takes_arrays(invariant_to=["rotation", "scale", "translation"])
def ring_neighbor_share(x: Float[np.ndarray, "n dim"]) -> float:
    """Return the share of points whose two nearest are the points before and after.

    The rows are the points in their order round the ring, the last beside the first. Points in
    random order have 2 / ((n - 1) (n - 2)). Ties in distance go to the earlier row. NaN if all
    points are equal.

    Raises:
        ValueError: fewer than 4 points.
    """
    _check(x)
    if is_constant(x):
        return float("nan")
    distances = tied(distance_matrix(x))
    np.fill_diagonal(distances, np.inf)
    nearest = np.sort(np.argsort(distances, axis=1, kind="stable")[:, :2], axis=1)
    rows = np.arange(len(x))
    beside = np.sort(np.column_stack([rows - 1, rows + 1]) % len(x), axis=1)
    return float((nearest == beside).all(axis=1).mean())


@takes_arrays(invariant_to=["rotation", "scale", "translation"])
def ring_order_correlation(x: Float[np.ndarray, "n dim"]) -> float:
    """Agreement of the order of the rows round a ring with the order along the spanning tree.

    `circular_rank_correlation` with the order along the longest path of the minimum spanning tree:
    the opening of the ring and the direction do not matter. NaN if all points are equal.

    Raises:
        ValueError: fewer than 4 points.
    """
    _check(x)
    if is_constant(x):
        return float("nan")
    places = order_along_tree(tied(distance_matrix(x)))
    order = np.argsort(np.argsort(places, kind="stable"))
    return circular_rank_correlation(order)


@takes_arrays()
def circular_rank_correlation(order: Int[np.ndarray, " n"]) -> float:
    """Return how far `order`, a permutation of 0..n-1, goes round with the row numbers.

    Both are spread evenly over a circle; the larger of the squared mean resultant lengths of the
    differences and of the sums of the angles. 1 for the same or the opposite direction, wherever
    it begins; a mean of some 1.5 / n in random order. Mardia (1975), "Statistics of directional
    data", Journal of the Royal Statistical Society B 37.
    """
    turn = 2j * np.pi / len(order)
    own, other = np.exp(turn * np.arange(len(order))), np.exp(turn * order)
    return float(max(abs((own * other).mean()) ** 2, abs((own * other.conj()).mean()) ** 2))


@takes_arrays(invariant_to=["rotation", "scale", "translation"])
def largest_step_ratio(x: Float[np.ndarray, "n dim"]) -> float:
    """Return the longest step round a ring, the closing step included, over the median step.

    1 for an even ring; large for a torn ring. Infinity where half of all steps are 0, NaN where all
    are.

    Raises:
        ValueError: fewer than 4 points.
    """
    _check(x)
    steps = np.linalg.norm(np.roll(x, -1, axis=0) - x, axis=1)
    median = float(np.median(steps))
    if not steps.max():
        return float("nan")
    return float(steps.max()) / median if median else float("inf")


def _check(x: np.ndarray) -> None:
    if len(x) < 4:
        raise ValueError(f"x: expected at least 4 points, found {len(x)}")
