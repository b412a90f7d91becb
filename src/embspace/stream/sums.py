"""Sums over the vectors of a layer, a space and a kind of rows, additive over a corpus.

Exact: number, mean, moments, sums of directions, and counts of lengths by bin. Counts of cosines by
bin are also exact, but for cosines to a fixed reference, since the mean of a corpus is known only
at the end.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.measures.direction_sums import DirectionSums
from embspace.geometry.pairs.moments import BLOCK_ROWS, Moments
from embspace.stream._row_loops import RowTotals, add_rows, mirror_upper
from embspace.stream.moments import CentralMoments, central_moments, merge

# Lengths: eight bins to a doubling, from 2^-10 to 2^20; shorter and longer ones are in the outer
# bins. Cosines: bins of one width.
NORM_EDGES = 2.0 ** (np.arange(-80, 161) / 8)
COSINE_EDGES = np.linspace(-1, 1, 2049)
BLOCK_COLUMNS = 96  # of a product: of 96, 128 and 192 the fastest at 384 coordinates
Counts = Int[np.ndarray, "..."]  # of two lengths in one record


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over n vectors."""

    moments: CentralMoments
    directions: DirectionSums
    norm_counts: Counts
    cosine_counts: Counts
    """Counts of cosines to the reference; vectors of length zero are in none."""


@dataclass(eq=False)
class RunningSums:
    """The sums of a cloud that grows block by block, about an origin near its mean."""

    origin: Float[np.ndarray, " dim"]
    reference: Float[np.ndarray, " dim"]
    """A direction of length 1, or zero: then no cosine is counted."""

    def __post_init__(self) -> None:
        dim = len(self.origin)
        self._moments: Moments | None = None
        self._directions = DirectionSums(0, 0, np.zeros(dim), np.zeros(dim), np.zeros(dim), 0.0)
        self._norms = np.zeros(len(NORM_EDGES) + 1, np.int64)
        self._cosines = np.zeros(len(COSINE_EDGES) - 1, np.int64)

    def add(
        self, x: Float[np.ndarray, "n dim"], chosen: Int[np.ndarray, " chosen"] | None = None
    ) -> Moments:
        """Add vectors, all or the `chosen` rows, and return the moments of the added vectors."""
        chosen = np.arange(len(x)) if chosen is None else chosen
        blocks = range(0, len(chosen), BLOCK_ROWS)
        added = [self._add_block(x, chosen[first : first + BLOCK_ROWS]) for first in blocks]
        if not added:
            return _no_sums(self.origin)
        moments = sum(added[1:], start=added[0])
        self._moments = moments if self._moments is None else self._moments + moments
        return moments

    def _add_block(
        self, x: Float[np.ndarray, "n dim"], chosen: Int[np.ndarray, " chosen"]
    ) -> Moments:
        """Add to all sums except the moments, and return the moments."""
        n, dim = len(chosen), x.shape[1]
        y, sums = np.empty((n, dim)), RowTotals.zeros(n, dim)
        add_rows(x, chosen, self.origin, self.reference, y, sums)
        directed = sums.norms > 0
        self._norms += np.bincount(
            np.searchsorted(NORM_EDGES, sums.norms, side="right"), minlength=len(self._norms)
        )
        if self.reference.any():
            self._count_cosines(sums.cosines[directed])
        self._directions += DirectionSums(
            n=n,
            n_directed=int(directed.sum()),
            unit_total=sums.unit_total,
            unit_squares=sums.unit_squares,
            total=sums.total + n * self.origin,
            total_norm=float(sums.norms.sum()),
        )
        return Moments(
            n=n,
            origin=self.origin,
            total=sums.total,
            products=products_of(y),
            cubes=sums.cubes,
            quartic=float(sums.energies @ sums.energies),
        )

    def _count_cosines(self, cosines: Float[np.ndarray, " n"]) -> None:
        n_bins = len(self._cosines)
        bins = ((cosines + 1) * (n_bins / 2)).astype(np.int64).clip(0, n_bins - 1)
        self._cosines += np.bincount(bins, minlength=n_bins)

    @property
    def so_far(self) -> Sums:
        """Return the sums over all vectors added until now."""
        return Sums(
            central_moments(self._moments or _no_sums(self.origin)),
            self._directions,
            self._norms.copy(),
            self._cosines.copy(),
        )


def _no_sums(origin: Float[np.ndarray, " dim"]) -> Moments:
    dim = len(origin)
    return Moments(0, origin, np.zeros(dim), np.zeros((dim, dim)), np.zeros(dim), 0.0)


def products_of(y: Float[np.ndarray, "n dim"]) -> Float[np.ndarray, "dim dim"]:
    """Return the sum of y y' over the rows, exactly symmetric, in float64.

    Blocks of columns below the diagonal are not computed, but copied. torch's product takes two
    thirds of the time of OpenBLAS's product with the kernel that all stages request.
    """
    import torch

    dim = y.shape[1]
    tensor, products = torch.from_numpy(y), torch.empty((dim, dim), dtype=torch.float64)
    for first in range(0, dim, BLOCK_COLUMNS):
        block = slice(first, first + BLOCK_COLUMNS)
        torch.mm(tensor[:, block].T, tensor[:, first:], out=products[block, first:])
    full_products: Float[np.ndarray, "dim dim"] = products.numpy()
    mirror_upper(full_products)
    return full_products


def merge_sums(first: Sums, second: Sums) -> Sums:
    """Return the sums over the vectors of both."""
    return Sums(
        merge(first.moments, second.moments),
        first.directions + second.directions,
        first.norm_counts + second.norm_counts,
        first.cosine_counts + second.cosine_counts,
    )


def quantile(
    counts: Counts, edges: Float[np.ndarray, " edge"], share: float
) -> tuple[float, float]:
    """Return the middle of the bin with a quantile, and the bin's width; NaN for no counts.

    `counts` has a bin between any two edges, and possibly two more, before the first edge and after
    the last, both counted at the edge.
    """
    total = int(counts.sum())
    if not total:
        return float("nan"), float("nan")
    number = int(np.searchsorted(counts.cumsum(), max(share * total, 1)))
    bounds = edges
    if len(counts) == len(edges) + 1:
        bounds = np.concatenate([edges[:1], edges, edges[-1:]])
    low, high = float(bounds[number]), float(bounds[number + 1])
    return (low + high) / 2, high - low


def to_arrays(sums: Sums) -> dict[str, np.ndarray]:
    """Return the sums as arrays by name; of the symmetric matrix, the upper triangle."""
    moments, directions = sums.moments, sums.directions
    return {
        "n": np.array([moments.n, directions.n_directed], np.int64),
        "mean": moments.mean,
        "comoments": moments.comoments[np.triu_indices(len(moments.mean))],
        "cubes": moments.cubes,
        "scalars": np.array([moments.quartic, directions.total_norm]),
        "unit_total": directions.unit_total,
        "unit_squares": directions.unit_squares,
        "total": directions.total,
        "norm_counts": sums.norm_counts,
        "cosine_counts": sums.cosine_counts,
    }


def from_arrays(read: Callable[[str], np.ndarray]) -> Sums:
    """Return the sums from the arrays of `to_arrays`; `read` returns an array by name."""
    mean, (n, n_directed) = read("mean"), read("n")
    (quartic, total_norm), dim = read("scalars"), len(read("mean"))
    comoments = np.zeros((dim, dim))
    comoments[np.triu_indices(dim)] = read("comoments")
    comoments += np.triu(comoments, 1).T
    moments = CentralMoments(int(n), mean, comoments, read("cubes"), float(quartic))
    directions = DirectionSums(
        int(n),
        int(n_directed),
        read("unit_total"),
        read("unit_squares"),
        read("total"),
        float(total_norm),
    )
    return Sums(moments, directions, read("norm_counts"), read("cosine_counts"))


def reference_of(mean: Float[np.ndarray, " dim"]) -> Float[np.ndarray, " dim"]:
    """Return a mean scaled to length 1, or zero if it is zero."""
    length = float(np.linalg.norm(mean))
    return mean / length if length else np.zeros_like(mean)


def merged_kinds(parts: Mapping[str, Sums], kinds: tuple[str, ...]) -> Sums:
    """Return the sums over several kinds of rows together, such as all kinds of tokens."""
    first, *rest = (parts[kind] for kind in kinds)
    for sums in rest:
        first = merge_sums(first, sums)
    return first
