"""Cuts all pairs into blocks, and makes the bins in which pairs are counted."""

from typing import Literal, NamedTuple, get_args

import numpy as np
from jaxtyping import Float

from embspace.geometry.pairs.distribution import Distribution
from embspace.geometry.pairs.scan._rows import Rows

Metric = Literal["euclidean_distance", "dot_product", "cosine"]
METRICS: tuple[Metric, ...] = get_args(Metric)

Edges = dict[Metric, np.ndarray]
VALUE_ROUNDING, HALF_SPACING = 1e-7, 2.0**-24
NEAREST = 32  # of a distance that comes from products: its share of the norms, at least
Distributions = dict[Metric, Distribution]


class Block(NamedTuple):
    """Rows of x against rows of y, or of x again, where the diagonal halves the block."""

    rows: slice
    columns: slice
    on_diagonal: bool


def blocks_of(n_x: int, n_y: int | None, block_rows: int, first: int = 0) -> list[Block]:
    """The blocks of the whole rectangle or, without `n_y`, of the upper triangle.

    Diagonal blocks come first and begin the lists of neighbors; then blocks of the row numbered
    `first`, to give every list a near bound early; then diagonal by diagonal, to let simultaneous
    blocks share few lists.
    """
    starts_y = range(0, n_x if n_y is None else n_y, block_rows)
    blocks = [
        Block(slice(i, i + block_rows), slice(j, j + block_rows), n_y is None and i == j)
        for i in range(0, n_x, block_rows)
        for j in starts_y
        if n_y is not None or i <= j
    ]

    def turn(block: Block) -> tuple[bool, bool, int]:
        i, j = block.rows.start, block.columns.start
        has_first = i <= first < i + block_rows or j <= first < j + block_rows
        return not block.on_diagonal, not has_first, j - i

    return sorted(blocks, key=turn)


def metric_edges(n_bins: int, largest_norm: float) -> Edges:
    """Return the limits that Cauchy and Schwarz allow; for zero vectors, those of unit vectors."""
    largest_norm = largest_norm or 1.0
    square = largest_norm**2
    limits = ((0.0, 2 * largest_norm), (-square, square), (-1.0, 1.0))
    return {
        metric: np.linspace(low, high, n_bins + 1)
        for metric, (low, high) in zip(METRICS, limits, strict=True)
    }


def centers_of(left: Rows, right: Rows) -> Float[np.ndarray, "2 metric"]:
    """Return the center of every metric's values, and how far rounding to float32 moves them.

    Means of cosines and of dot products, the root of the mean square of distances.
    """
    n = len(left.numbers)
    within = right is left
    if n <= within or not len(right.numbers):
        return np.zeros((2, len(METRICS)))
    means, directions, squares = zip(*(_mean_rows(rows) for rows in (left, right)), strict=True)
    squared, dot, cosine = float(sum(squares)), means[0] @ means[1], directions[0] @ directions[1]
    if within:  # without the pairs of a row with itself, which one long row makes the largest
        dot, cosine = ((n * all_ - own) / (n - 1) for all_, own in ((dot, squares[0]), (cosine, 1)))
    distance = float(np.sqrt(max(squared - 2 * dot, 0.0)))
    near = NEAREST * distance < np.sqrt(squared)
    off = HALF_SPACING * distance if near else VALUE_ROUNDING * squared / distance
    product = VALUE_ROUNDING * float(np.sqrt(squares[0] * squares[1]))
    return np.array([[distance, dot, cosine], [off, product, VALUE_ROUNDING]])


def _mean_rows(rows: Rows) -> tuple[np.ndarray, np.ndarray, float]:
    """The mean row, the mean direction, the mean squared norm."""
    n = len(rows.numbers)
    direction = (rows.inverse_norms @ rows.vectors).astype(np.float64) / n  # float32 will do
    return rows.vectors.mean(axis=0, dtype=np.float64), direction, float(np.mean(rows.norms**2))


def pairs_with_zero_rows(
    x_norms: np.ndarray,
    y_norms: np.ndarray | None,
    edges: Edges,
    centers: Float[np.ndarray, "2 metric"],
) -> Distributions:
    """Pairs with at least one zero row: distance = norm of the second row, product = 0.

    For the metrics in `edges`, about the centers of nonzero rows.
    """
    x, x_zeros = _present_and_zeros(x_norms)
    if y_norms is None:
        distances = np.append(x, 0)
        repeats = np.append(np.full(len(x), x_zeros), x_zeros * (x_zeros - 1) // 2)
    else:
        y, y_zeros = _present_and_zeros(y_norms)
        distances = np.concatenate([x, y, [0]])
        repeats = np.repeat([y_zeros, x_zeros, x_zeros * y_zeros], [len(x), len(y), 1])
    values: dict[Metric, tuple[np.ndarray, np.ndarray]] = {
        "euclidean_distance": (distances, repeats),
        "dot_product": (np.zeros(1), repeats.sum(keepdims=True)),
        "cosine": (np.zeros(0), np.zeros(0, dtype=np.int64)),
    }
    return {
        metric: Distribution.of(
            values[metric][0], edges[metric], values[metric][1], center=center, rounding=off
        )
        for metric, center, off in zip(METRICS, *centers.tolist(), strict=True)
        if metric in edges
    }


def _present_and_zeros(norms: np.ndarray) -> tuple[np.ndarray, int]:
    present = norms[norms > 0]
    return present, len(norms) - len(present)
