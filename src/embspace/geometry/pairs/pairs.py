"""All pairs of vectors in a single pass: distributions, extremes and nearest neighbors."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from embspace.geometry.pairs.extremes import ExtremeLists, ExtremePairs
from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.geometry.pairs.scan._blocks import (
    METRICS,
    Block,
    Distributions,
    Edges,
    Metric,
    blocks_of,
    centers_of,
    metric_edges,
    pairs_with_zero_rows,
)
from embspace.geometry.pairs.scan._rows import (
    Rows,
    checked_matrix,
    checked_norms,
    rows_with_direction,
)
from embspace.geometry.pairs.scan._tensors import device_of
from embspace.geometry.pairs.scan._threads import map_in_order
from embspace.geometry.pairs.scan._totals import Totals, Wanted
from embspace.geometry.pairs.vectors import as_array

if TYPE_CHECKING:
    from embspace.geometry.pairs.scan._block_scan import BlockScan
    from embspace.geometry.pairs.scan._neighbor_loops import Candidates
    from embspace.geometry.pairs.scan._torch_scan import TorchScan

LARGEST_BLOCK = 2**15  # pairs of a block are counted in 32 bits
# Of 384 dims on two cores with 1 MiB of L2 each, products in blocks of 1024 to 2048 take equally
# long, those of 768 and of 4096 a tenth more, those of 512 a quarter more.
USUAL_BLOCK = 1024
DEVICE_BLOCK = 2048  # some 60 bytes a pair: measured 257 to 293 MiB
MOST_BYTES = 2**28  # of all threads together


@dataclass(frozen=True, eq=False)
class PairScan:
    """The result of `scan_pairs`."""

    distributions: Distributions
    """By name of a wanted metric: euclidean_distance, dot_product, cosine."""
    extremes: tuple[ExtremePairs, ...]
    """By group, then largest, smallest, nearest_to_zero."""
    neighbors: NeighborGraph | None
    """If asked for."""
    largest_cosines: Float[np.ndarray, " n_x"] | None
    """Largest cosine of a row of x with another row, if wanted; NaN for norm zero or a lone row."""


def scan_pairs(
    x: Any,
    y: Any = None,
    *,
    n_bins: int | None = None,
    metrics: Collection[Metric] | None = None,
    largest_norm: float | None = None,
    groups: Any = None,
    n_extremes: int = 0,
    n_neighbors: int = 0,
    largest_cosines: bool = False,
    block_rows: int | None = None,
    progress: Callable[[list[Block]], Iterable[Block]] = iter,
) -> PairScan:
    """Walk once over every pair i < j of rows of `x`, or of a row of `x` and a row of `y`.

    No sampling. Only requested results cost time: `scan_pairs(x, n_bins=1000)` gives three
    distributions, `scan_pairs(x, n_neighbors=90)` only the graph.

    Vectors are taken in float32, even float64 vectors, except for neighbors. Values are exact to
    some 1e-7 of the product of the two norms (distances: of the squares): a pair this close to an
    edge may fall on the wrong side. Distances under a twentieth of the norms are computed from
    differences, not from dot products, and lose nothing. Extremes are by float64 cosines of the
    float32 vectors, neighbors by float64 distances of the given vectors; see `ExtremePairs` and
    `NeighborGraph`. The number of threads, `numba.get_num_threads()`, changes nothing up to 64;
    above, blocks are smaller.

    A row of norm zero has no cosine: the pairs are missing from the cosine distribution and from
    the extremes, and present in distances, dot products and neighbors.

    Args:
        x: (n_x, dim), in any form of `as_array`. Norms zero or from 1e-15 to 1e15. For a tensor of
            torch on a device, everything but the float64 part is computed on the device.
        y: Likewise, of the same `dim`.
        n_bins: Bins of equal width, over [-1, 1] for the cosine, [0, 2M] for the distance, [-M^2,
            M^2] for the dot product. Values beyond a limit by rounding go into the end bin. No
            distribution by default.
        metrics: Distributions to compute, by default all three.
        largest_norm: M, by default the largest norm present (1 where all are zero). Scans with
            equal M have equal edges, and distributions can be added.
        groups: (n_groups, n_x), masks of rows of `x`. A pair belongs to a group with both rows or,
            with a `y`, with the row of `x`. One group of all rows by default.
        n_extremes: Pairs to keep per group and order; ties go to the smallest (i, j).
        n_neighbors: Nearest rows of `x` to keep per row of `x`, at most all further rows.
        largest_cosines: Whether to keep the largest cosine per row of `x`, in float32.
        block_rows: Rows and columns of a block, 1 to 32,768. Memory beyond the vectors is some 4
            `block_rows`^2 bytes a thread, and 16 `n_x` `n_neighbors` for neighbors. Results change
            by float32 rounding at most, extremes and neighbors not at all. By default 1024, fewer
            above 64 threads; 2048 on a device, with 60 bytes a pair.
        progress: Wraps the list of blocks, as `tqdm` does.

    Raises:
        ValueError: shapes that do not fit, NaN or infinity, no pair at all, a norm above
            `largest_norm`, a number out of range, metrics without bins, or neighbors with a `y`.
    """
    _check_numbers(n_bins, n_extremes, n_neighbors, block_rows)
    device = device_of(x)
    given, x = x, checked_matrix(x, "x")
    y = None if y is None else checked_matrix(y, "y")
    _check_shapes(x, y, n_neighbors)
    x_norms = checked_norms(x, "x")
    y_norms = None if y is None else checked_norms(y, "y")
    masks = _checked_groups(groups, len(x))[: None if n_extremes else 0]
    left = right = rows_with_direction(x, x_norms, masks)
    if y is not None and y_norms is not None:
        right = rows_with_direction(y, y_norms, np.ones((len(masks), len(y)), dtype=np.bool_))
    edges = _edges(n_bins, metrics, _checked_largest_norm(largest_norm, x_norms, y_norms))
    lists = ExtremeLists(len(masks), n_extremes, x.shape[1])
    k = min(n_neighbors, len(x) - 1)
    centers = centers_of(left, right) if edges else np.zeros((2, len(METRICS)))
    wanted = Wanted(edges, centers[0], lists.search, n_extremes, k, largest_cosines)
    scan = _scan(left, right, wanted, device)
    start = pairs_with_zero_rows(x_norms, y_norms, edges, centers)
    totals = Totals(start, lists, len(left.numbers) if largest_cosines else 0, within=y is None)
    blocks = progress(_blocks(left, None if y is None else right, block_rows, device))
    n_threads = _n_threads() if device is None else 1
    for block, part in map_in_order(lambda block: (block, scan(block)), blocks, n_threads):
        totals.add(block, part)
    candidates = scan.candidates()
    return PairScan(
        totals.distributions(scan.counts()),
        lists.pairs(),
        _graph(_exact(given, x), left.numbers, candidates, k) if candidates else None,
        _cosines_by_row(totals.largest_cosines, left.numbers, len(x)) if largest_cosines else None,
    )


def _scan(left: Rows, right: Rows, wanted: Wanted, device: Any) -> "BlockScan | TorchScan":
    # Numba and torch are slow to import, and not needed by who only reads results.
    if device is None:
        from embspace.geometry.pairs.scan._block_scan import BlockScan

        return BlockScan(left, right, wanted)
    from embspace.geometry.pairs.scan._torch_scan import TorchScan

    return TorchScan(left, right, wanted, device)


def _exact(given: Any, x: np.ndarray) -> np.ndarray:
    """Return the vectors by whose distances neighbors are put into order: more than float32's."""
    exact = as_array(given, "x")
    if np.can_cast(exact.dtype, np.float32):
        return x
    return np.require(exact, np.float64, ["C", "W"])


def _graph(x: np.ndarray, numbers: np.ndarray, candidates: "Candidates", k: int) -> NeighborGraph:
    from embspace.geometry.pairs.scan._neighbor_lists import settled_graph

    return settled_graph(x, numbers, candidates, k, _n_threads())


def _blocks(left: Rows, right: Rows | None, block_rows: int | None, device: Any) -> list[Block]:
    first = int(left.norms.argmin()) if len(left.norms) else 0  # near to many, see `blocks_of`
    n_y = None if right is None else len(right.numbers)
    size = block_rows or _usual_block(device)
    return blocks_of(len(left.numbers), n_y, size, first)


def _usual_block(device: Any) -> int:
    if device is not None:
        return DEVICE_BLOCK
    size = USUAL_BLOCK
    while 4 * size**2 * _n_threads() > MOST_BYTES:
        size //= 2
    return size


def _n_threads() -> int:
    import numba

    return int(numba.get_num_threads())


def _cosines_by_row(cosines: np.ndarray, numbers: np.ndarray, n: int) -> Float[np.ndarray, " n"]:
    largest = np.full(n, np.nan)
    largest[numbers] = np.where(np.isfinite(cosines), np.clip(cosines, -1, 1), np.nan)
    return largest


def _edges(n_bins: int | None, metrics: Collection[str] | None, largest_norm: float) -> Edges:
    if n_bins is None and metrics:
        raise ValueError(f"n_bins: expected a number for {', '.join(metrics)}, found None")
    if unknown := set(metrics or ()) - set(METRICS):
        raise ValueError(f"metrics: expected some of {METRICS}, found {unknown}")
    if n_bins is None:
        return {}
    edges = metric_edges(n_bins, largest_norm)
    return {metric: edges[metric] for metric in METRICS if metrics is None or metric in metrics}


def _check_numbers(
    n_bins: int | None, n_extremes: int, n_neighbors: int, block_rows: int | None
) -> None:
    if n_bins is not None and n_bins < 1:
        raise ValueError(f"n_bins: expected at least 1, found {n_bins}")
    if n_extremes < 0:
        raise ValueError(f"n_extremes: expected at least 0, found {n_extremes}")
    if n_neighbors < 0:
        raise ValueError(f"n_neighbors: expected at least 0, found {n_neighbors}")
    if block_rows is not None and not 1 <= block_rows <= LARGEST_BLOCK:
        raise ValueError(f"block_rows: expected 1 to {LARGEST_BLOCK}, found {block_rows}")


def _check_shapes(x: np.ndarray, y: np.ndarray | None, n_neighbors: int) -> None:
    if y is not None and n_neighbors:
        raise ValueError("n_neighbors: neighbors are those of x in x, so that y must be None")
    if y is None and len(x) < 2:
        raise ValueError(f"x: expected at least 2 rows, which make a pair, found {len(x)}")
    if y is None:
        return
    if not len(x) or not len(y):
        raise ValueError(f"expected rows in x and y, found {len(x)} and {len(y)}")
    if x.shape[1] != y.shape[1]:
        raise ValueError(f"dims differ: x has {x.shape[1]}, y has {y.shape[1]}")


def _checked_groups(groups: Any, n: int) -> np.ndarray:
    if groups is None:
        return np.ones((1, n), dtype=np.bool_)
    groups = as_array(groups, "groups")
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
