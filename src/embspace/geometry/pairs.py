"""Exact distributions of distance, dot product and cosine over all pairs of vectors."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from embspace.geometry._blocks import (
    METRICS,
    Block,
    BlockScan,
    Distributions,
    blocks_of,
    metric_edges,
    pairs_with_zero_rows,
)
from embspace.geometry._rows import checked_matrix, checked_norms, rows_with_direction
from embspace.geometry._threads import map_in_order
from embspace.geometry.extremes import ExtremeLists, ExtremePairs

LARGEST_BLOCK = 2**15  # pairs of a block are counted in 32 bits


@dataclass(frozen=True, eq=False)
class PairScan:
    """What `scan_pairs` found."""

    distributions: Distributions
    """By name of the metric: euclidean_distance, dot_product, cosine."""
    extremes: tuple[ExtremePairs, ...]
    """By group, then largest, smallest, nearest_to_zero."""


def scan_pairs(
    x: Float[np.ndarray, "n_x dim"],
    y: Float[np.ndarray, "n_y dim"] | None = None,
    *,
    n_bins: int,
    largest_norm: float | None = None,
    groups: Bool[np.ndarray, "n_groups n_x"] | None = None,
    n_extremes: int = 0,
    block_rows: int = 1024,
    progress: Callable[[list[Block]], Iterable[Block]] = iter,
) -> PairScan:
    """Count every pair i < j of rows of `x`, or of a row of `x` and a row of `y`: no sampling.

    Vectors are taken in float32. Values are right to some 1e-7 of the product of the two norms
    (distances: their squares), so that a pair this close to an edge may fall on its other side.
    Distances under a twentieth of the norms are computed from differences, not from dot products,
    and lose nothing. Extremes are those of float64 cosines, see `ExtremePairs`. Nothing depends on
    the number of threads, `numba.get_num_threads()`.

    A row of norm zero has no cosine: its pairs are missing from that distribution and from the
    extremes, and present in the other two.

    Args:
        x: Norms zero or from 1e-15 to 1e15.
        y: Likewise, of the same `dim`.
        n_bins: Of equal width, over [-1, 1] for the cosine, [0, 2M] for the distance, [-M^2, M^2]
            for the dot product. What rounding puts beyond a limit goes into the end bin.
        largest_norm: M, by default the largest norm present (1 where all are zero). Scans of one
            M have equal edges, so that their distributions can be added.
        groups: Masks of rows of `x`. A pair belongs to a group with both its rows, or with its row
            of `x` where there is a `y`. One group of all rows by default.
        n_extremes: Pairs to keep for each group and order; ties go to the smallest (i, j).
        block_rows: Rows and columns of a block, 1 to 32,768. Memory beyond the vectors is some
            5 `block_rows`^2 bytes a thread. Results change by float32 rounding at most.
        progress: Wraps the list of blocks, as `tqdm` does.

    Raises:
        ValueError: shapes that do not fit, NaN or infinity, no pair at all, a norm above
            `largest_norm`, or a number out of range.
    """
    _check_numbers(n_bins, n_extremes, block_rows)
    x = checked_matrix(x, "x")
    y = None if y is None else checked_matrix(y, "y")
    _check_shapes(x, y)
    x_norms = checked_norms(x, "x")
    y_norms = None if y is None else checked_norms(y, "y")
    masks = _checked_groups(groups, len(x))[: None if n_extremes else 0]
    left = right = rows_with_direction(x, x_norms, masks)
    if y is not None and y_norms is not None:
        right = rows_with_direction(y, y_norms, np.ones((len(masks), len(y)), dtype=np.bool_))
    edges = metric_edges(n_bins, _checked_largest_norm(largest_norm, x_norms, y_norms))
    lists = ExtremeLists(len(masks), n_extremes, x.shape[1])
    scan = BlockScan(left, right, edges, lists.search, n_extremes)
    distributions = pairs_with_zero_rows(x_norms, y_norms, edges)
    blocks = blocks_of(len(left.numbers), None if y is None else len(right.numbers), block_rows)
    for part, kept in map_in_order(scan, progress(blocks), _n_threads()):
        distributions = {metric: distributions[metric] + part[metric] for metric in METRICS}
        lists.add(kept)
    return PairScan(distributions, lists.pairs())


def _n_threads() -> int:
    import numba

    return int(numba.get_num_threads())


def _check_numbers(n_bins: int, n_extremes: int, block_rows: int) -> None:
    if n_bins < 1:
        raise ValueError(f"n_bins: expected at least 1, found {n_bins}")
    if n_extremes < 0:
        raise ValueError(f"n_extremes: expected at least 0, found {n_extremes}")
    if not 1 <= block_rows <= LARGEST_BLOCK:
        raise ValueError(f"block_rows: expected 1 to {LARGEST_BLOCK}, found {block_rows}")


def _check_shapes(x: np.ndarray, y: np.ndarray | None) -> None:
    if y is None and len(x) < 2:
        raise ValueError(f"x: expected at least 2 rows, which make a pair, found {len(x)}")
    if y is None:
        return
    if not len(x) or not len(y):
        raise ValueError(f"expected rows in x and y, found {len(x)} and {len(y)}")
    if x.shape[1] != y.shape[1]:
        raise ValueError(f"dims differ: x has {x.shape[1]}, y has {y.shape[1]}")


def _checked_groups(groups: np.ndarray | None, n: int) -> np.ndarray:
    if groups is None:
        return np.ones((1, n), dtype=np.bool_)
    if groups.ndim != 2 or groups.shape[1] != n or groups.dtype != np.bool_:
        raise ValueError(
            f"groups: expected bool (n_groups, {n}), found {groups.dtype} {groups.shape}"
        )
    return groups


def _checked_largest_norm(
    largest_norm: float | None, x_norms: np.ndarray, y_norms: np.ndarray | None
) -> float:
    present = float(max(x_norms.max(), 0 if y_norms is None else y_norms.max()))
    if largest_norm is None:
        return present
    # A norm may have been taken in float32.
    if not largest_norm * (1 + 1e-6) >= present:
        raise ValueError(f"largest_norm: {largest_norm:g} is less than a norm present, {present:g}")
    return float(largest_norm)
