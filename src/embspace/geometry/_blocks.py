"""Cutting all pairs into blocks, and what one block comes to."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from embspace.geometry._rows import Rows
from embspace.geometry.distribution import Distribution
from embspace.geometry.extremes import Kept, Search

METRICS = ("euclidean_distance", "dot_product", "cosine")

Edges = dict[str, np.ndarray]
Distributions = dict[str, Distribution]


class Block(NamedTuple):
    """Rows of x against rows of y, or of x again, where the diagonal halves the block."""

    rows: slice
    columns: slice
    on_diagonal: bool


def blocks_of(n_x: int, n_y: int | None, block_rows: int) -> list[Block]:
    """The blocks of the whole rectangle or, without `n_y`, of its upper triangle."""
    starts_y = range(0, n_x if n_y is None else n_y, block_rows)
    return [
        Block(slice(i, i + block_rows), slice(j, j + block_rows), n_y is None and i == j)
        for i in range(0, n_x, block_rows)
        for j in starts_y
        if n_y is not None or i <= j
    ]


def metric_edges(n_bins: int, largest_norm: float) -> Edges:
    """Limits that Cauchy and Schwarz allow; those of zero vectors alone are as for unit ones."""
    largest_norm = largest_norm or 1.0
    square = largest_norm**2
    limits = ((0.0, 2 * largest_norm), (-square, square), (-1.0, 1.0))
    return {
        metric: np.linspace(low, high, n_bins + 1)
        for metric, (low, high) in zip(METRICS, limits, strict=True)
    }


def pairs_with_zero_rows(
    x_norms: np.ndarray, y_norms: np.ndarray | None, edges: Edges
) -> Distributions:
    """Pairs of which one row at least is zero: distance = norm of the other, product = 0."""
    x, x_zeros = _present_and_zeros(x_norms)
    if y_norms is None:
        distances = np.append(x, 0)
        repeats = np.append(np.full(len(x), x_zeros), x_zeros * (x_zeros - 1) // 2)
    else:
        y, y_zeros = _present_and_zeros(y_norms)
        distances = np.concatenate([x, y, [0]])
        repeats = np.repeat([y_zeros, x_zeros, x_zeros * y_zeros], [len(x), len(y), 1])
    values = {
        "euclidean_distance": (distances, repeats),
        "dot_product": (np.zeros(1), repeats.sum(keepdims=True)),
        "cosine": (np.zeros(0), np.zeros(0, dtype=np.int64)),
    }
    return {metric: Distribution.of(v, edges[metric], r) for metric, (v, r) in values.items()}


def _present_and_zeros(norms: np.ndarray) -> tuple[np.ndarray, int]:
    present = norms[norms > 0]
    return present, len(norms) - len(present)


@dataclass(frozen=True, eq=False)
class BlockScan:
    """A block in, its distributions and extremes out: threads can share it."""

    left: Rows
    right: Rows
    edges: Edges
    search: Search
    n_extremes: int

    def __call__(self, block: Block) -> tuple[Distributions, Kept]:
        """Scan the pairs of one block alone."""
        # These import numba, which nothing else of the package needs.
        from embspace.geometry._extreme_loops import offer_block
        from embspace.geometry._tally_loops import Tally, tally_block

        left, right = self.left.part(block.rows), self.right.part(block.columns)
        dots = left.vectors @ right.vectors.T
        limits = np.array([(self.edges[metric][0], self.edges[metric][-1]) for metric in METRICS])
        tally = Tally.empty(len(self.edges["cosine"]) - 1, dots.shape[1])
        tally_block(dots, left, right, block.on_diagonal, limits, tally)
        kept = Kept.empty(len(self.search.bound), self.n_extremes)
        if self.n_extremes:
            offer_block(dots, left, right, block.on_diagonal, self.search, kept)
        parts = zip(METRICS, *tally, strict=True)
        return {metric: _distribution(self.edges[metric], *part) for metric, *part in parts}, kept


def _distribution(
    edges: np.ndarray,
    counts: np.ndarray,
    power_sums: np.ndarray,
    lowest: np.ndarray,
    highest: np.ndarray,
) -> Distribution:
    # What lies beyond the limits does so by rounding. Infinities mark an empty block.
    low, high = float(lowest.min()), float(highest.max())
    minimum = max(low, float(edges[0]))
    maximum = min(high, float(edges[-1]))
    return Distribution(edges, counts.astype(np.int64), power_sums, minimum, maximum)
