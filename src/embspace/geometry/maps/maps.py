"""Measures how faithful a map is: neighbors kept, made up and torn apart. Exact, all points."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.pairs.directions import is_constant, norms
from embspace.geometry.pairs.door import takes_arrays
from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.geometry.pairs.scan._rows import checked_matrix
from embspace.geometry.pairs.scan._threads import map_in_order

NeighborRows = Int[np.ndarray, "_ _"]

BLOCK_BYTES = 2**25
"""Size of the float32 products that a thread holds at once."""


@dataclass(frozen=True)
class MapQuality:
    """Agreement of the neighbors in a map with the neighbors in the original space.

    All measures are 1 for a map with all neighbors kept, in whatever order, and NaN if all points
    of the space or of the map are equal: neighbors are then arbitrary.
    """

    n: int
    n_neighbors: int
    trustworthiness: float
    """In [0, 1]: neighbors in the map are neighbors in the space, or nearly so."""
    continuity: float
    """In [0, 1]: neighbors in the space are neighbors in the map, or nearly so."""
    neighbor_recall: float
    """In [0, 1]: mean share of a point's neighbors in space that are its neighbors in the map."""

    @property
    def chance_trustworthiness(self) -> float:
        """Return the expected trustworthiness of a layout drawn at random, about 1/2.

        The neighbors are then k of the n - 1 others at random: each has rank r uniform over
        1..n-1, and max(0, r - k) is (n - 1 - k)(n - k) / (2 (n - 1)) on average.
        """
        n, k = self.n, self.n_neighbors
        return float(1 - Fraction((n - 1 - k) * (n - k), (n - 1) * (2 * n - 3 * k - 1)))

    @property
    def chance_continuity(self) -> float:
        """Return the expected continuity of a layout drawn at random: that of trustworthiness."""
        return self.chance_trustworthiness

    @property
    def chance_neighbor_recall(self) -> float:
        """Return the expected recall of a layout drawn at random, k / (n - 1)."""
        return self.n_neighbors / (self.n - 1)


@takes_arrays(single=True, invariant_to=["rotation", "scale", "translation"])
def map_quality(
    x: Float[np.ndarray, "n dim"],
    layout: Float[np.ndarray, "n map_dim"],
    *,
    n_neighbors: int,
    graph: NeighborGraph | None = None,
) -> MapQuality:
    """Return trustworthiness, continuity and neighbor recall of a map of the rows of `x`.

    Venna and Kaski (2001), ICANN, 485-491; (2006), Neural Networks 19, 889-899. With ranks r(i, j)
    of j by its distance from i, trustworthiness is 1 - 2 / (n k (2n - 3k - 1)) times the sum of
    r(i, j) - k in the space, over the k nearest j in the map that are not among the k nearest in
    the space. Continuity is the same with map and space exchanged.

    All distances are Euclidean (take unit rows for cosines), and all points count. The rank is one
    more than the number of points that are nearer, or as near and of smaller row number. Distances
    in the map are in float64. Those in the space are in float32, about the mean row: right to some
    1e-7 of the squared norms, or far better under a thirtieth of the norms, and zero for copies.
    Nothing depends on the number of threads, `numba.get_num_threads()`. Memory beyond the two
    matrices is some 20 bytes a value of `x`, and 32 MB a thread.

    Args:
        x: The space.
        layout: The map, row by row; meant for 2 or 3 columns.
        n_neighbors: k, under n / 2.
        graph: The neighbors in the space, k at least, if they are known already.

    Raises:
        ValueError: shapes that do not fit, NaN or infinity, or `n_neighbors` out of range.
    """
    from embspace.geometry.maps._map_loops import count_common

    x, map_ = checked_matrix(x, "x"), _Map.of(layout, "layout")
    _check_sizes(len(x), map_.n, n_neighbors)
    if graph and graph.n != len(x):
        raise ValueError(f"graph: expected one of {len(x)} points, found {graph.n}")
    if 2 * n_neighbors >= len(x):
        raise ValueError(f"n_neighbors: expected less than n / 2, found {n_neighbors}, n {len(x)}")
    space = _Space.of(x)
    in_map, _ = _look_up(map_, n_neighbors, _no_candidates(map_.n))
    in_space, ranks_in_space = _look_up(space, 0 if graph else n_neighbors, in_map)
    if graph:
        in_space = np.array(graph.first(n_neighbors).indices)
    _, ranks_in_map = _look_up(map_, n_neighbors, in_space)
    one = np.nan if is_constant(x) or is_constant(layout) else 1.0
    return MapQuality(
        n=space.n,
        n_neighbors=n_neighbors,
        trustworthiness=one * _rank_agreement(ranks_in_space),
        continuity=one * _rank_agreement(ranks_in_map),
        neighbor_recall=one * count_common(in_map, in_space) / in_map.size,
    )


@takes_arrays(invariant_to=["rotation", "scale", "translation"])
def neighbor_overlap(
    a: Float[np.ndarray, "n dim_a"], b: Float[np.ndarray, "n dim_b"], *, n_neighbors: int
) -> float:
    """Mean share of a point's nearest neighbors common to two layouts, in [0, 1].

    Exact, over all points; 1 for layouts equal up to a rotation and rescaling, k / (n - 1) by
    chance. Ties go to the smaller row number. NaN if all points of a layout are equal.

    Args:
        a: First layout, meant for 2 or 3 columns.
        b: Second layout of the same points.
        n_neighbors: k, under n.

    Raises:
        ValueError: shapes that do not fit, NaN or infinity, or `n_neighbors` out of range.
    """
    from embspace.geometry.maps._map_loops import count_common

    one, other = _Map.of(a, "a"), _Map.of(b, "b")
    _check_sizes(one.n, other.n, n_neighbors)
    nearest_a, _ = _look_up(one, n_neighbors, _no_candidates(one.n))
    nearest_b, _ = _look_up(other, n_neighbors, _no_candidates(one.n))
    if is_constant(a) or is_constant(b):
        return float("nan")
    return float(count_common(nearest_a, nearest_b) / nearest_a.size)


@dataclass(frozen=True, eq=False)
class _Space:
    """Many columns: distances from products."""

    x: Float[np.ndarray, "n dim"]
    squared_norms: Float[np.ndarray, " n"]

    @classmethod
    def of(cls, x: np.ndarray) -> "_Space":
        """About the mean row, as norms bound the rounding, and at most 1: nothing can overflow."""
        centered = x - _short_mean(x)
        _, exponent = np.frexp(np.abs(centered).max())
        scaled = np.ldexp(centered, -exponent).astype(np.float32)
        return cls(scaled, np.square(norms(scaled)).astype(np.float32))

    @property
    def n(self) -> int:
        return len(self.x)

    def look_up(
        self, rows: slice, candidates: NeighborRows, nearest: NeighborRows, ranks: NeighborRows
    ) -> None:
        from embspace.geometry.maps._map_loops import look_up_in_products

        dots = self.x[rows] @ self.x.T
        look_up_in_products(
            dots, rows.start, self.x, self.squared_norms, candidates, nearest, ranks
        )


@dataclass(frozen=True, eq=False)
class _Map:
    """Few columns: distances from differences."""

    columns: Float[np.ndarray, "dim n"]

    @classmethod
    def of(cls, layout: np.ndarray, name: str) -> "_Map":
        if layout.ndim != 2 or layout.shape[1] == 0:
            raise ValueError(f"{name}: expected (n, dim), found {layout.shape}")
        if bad := int((~np.isfinite(layout)).any(axis=1).sum()):
            raise ValueError(f"{name}: {bad} of {len(layout)} rows hold NaN or infinity")
        return cls(np.require(layout.T, dtype=np.float64, requirements=["C", "W"]))

    @property
    def n(self) -> int:
        return self.columns.shape[1]

    def look_up(
        self, rows: slice, candidates: NeighborRows, nearest: NeighborRows, ranks: NeighborRows
    ) -> None:
        from embspace.geometry.maps._map_loops import look_up_in_map

        look_up_in_map(self.columns, rows.start, candidates, nearest, ranks)


def _look_up(
    points: _Space | _Map, n_neighbors: int, candidates: NeighborRows
) -> tuple[NeighborRows, NeighborRows]:
    """The nearest neighbors of every point, nearest first, and the ranks of other candidates."""
    import numba

    nearest = np.empty((points.n, n_neighbors), dtype=np.int32)
    ranks = np.empty(candidates.shape, dtype=np.int32)

    def fill(rows: slice) -> None:
        points.look_up(rows, candidates[rows], nearest[rows], ranks[rows])

    for _ in map_in_order(fill, row_blocks(points.n), numba.get_num_threads()):
        pass
    return nearest, ranks


def row_blocks(n: int) -> list[slice]:
    """Return slices of all rows: as many as have `BLOCK_BYTES` of products with all n, or one."""
    size = max(1, BLOCK_BYTES // (4 * n))
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def _short_mean(x: np.ndarray) -> np.ndarray:
    """The mean row in eight bits: whole numbers keep exact products, and so all ties."""
    _, exponents = np.frexp(np.abs(x).max(axis=0))
    return np.ldexp(np.rint(np.ldexp(x.mean(axis=0, dtype=float), 8 - exponents)), exponents - 8)


def _no_candidates(n: int) -> NeighborRows:
    return np.empty((n, 0), dtype=np.int32)


def _rank_agreement(ranks: NeighborRows) -> float:
    """Return the agreement of ranks: 1 if all are 1..k, 0 if all are the k last ranks."""
    n, k = ranks.shape
    excess = int(np.maximum(ranks.astype(np.int64) - k, 0).sum())
    return float(1 - Fraction(2 * excess, n * k * (2 * n - 3 * k - 1)))


def _check_sizes(n: int, n_other: int, n_neighbors: int) -> None:
    if n != n_other:
        raise ValueError(f"expected the same points, found {n} and {n_other} rows")
    if not 1 <= n_neighbors < n:
        raise ValueError(
            f"n_neighbors: expected at least 1 and less than n, found {n_neighbors}, n {n}"
        )
