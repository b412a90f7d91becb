"""A block of pairs, by NumPy's product and compiled loops."""

from threading import local

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.pairs.extremes import Kept
from embspace.geometry.pairs.scan._blocks import METRICS, Block
from embspace.geometry.pairs.scan._extreme_loops import offer_block
from embspace.geometry.pairs.scan._neighbor_lists import NeighborLists
from embspace.geometry.pairs.scan._neighbor_loops import Candidates
from embspace.geometry.pairs.scan._rows import Rows
from embspace.geometry.pairs.scan._tally_loops import Tally, raise_cosines, tally_block
from embspace.geometry.pairs.scan._totals import Part, Wanted

NOTHING = np.zeros(0, dtype=np.float32)
MOST_COUNTS = 2**31 - 1


class BlockScan:
    """Maps a block to the block's results, to be shared between threads.

    Counts and neighbors are added to earlier blocks'.
    """

    def __init__(self, left: Rows, right: Rows, wanted: Wanted) -> None:
        edges, k = wanted.edges, wanted.n_neighbors
        self.left, self.right, self.wanted = left, right, wanted
        self._counted = np.array([metric in edges for metric in METRICS])
        self._limits = np.array([edges.get(metric, np.arange(2.0))[[0, -1]] for metric in METRICS])
        n_bins = max((len(bin_edges) - 1 for bin_edges in edges.values()), default=0)
        self._no_counts = Counts(len(METRICS), n_bins)
        self._thread_counts: list[Counts] = []
        self._scratch = Scratch(len(METRICS), n_bins, self._thread_counts)
        self._neighbors = NeighborLists(left, k) if k else None

    def __call__(self, block: Block) -> Part:
        """Scan the pairs of a block."""
        left, right = self.left.part(block.rows), self.right.part(block.columns)
        dots = self._scratch.product(left.vectors, right.vectors)
        if self._neighbors is not None:
            self._neighbors.offer(dots, block.rows.start, block.columns.start)
        tally = self._tally(dots, left, right, block)
        kept = Kept.empty(len(self.wanted.search.bound), self.wanted.n_extremes)
        row_cosines, column_cosines = NOTHING, NOTHING
        if self.wanted.n_extremes:
            offer_block(dots, left, right, block.on_diagonal, self.wanted.search, kept)
        if self.wanted.largest_cosines:
            row_cosines, column_cosines = (
                np.full(n, -np.inf, dtype=np.float32) for n in dots.shape
            )
            raise_cosines(dots, block.on_diagonal, row_cosines, column_cosines)
        lowest, highest = tally.lowest.min(axis=1), tally.highest.max(axis=1)
        return Part(tally.power_sums, lowest, highest, kept, row_cosines, column_cosines)

    def _tally(
        self, dots: Float[np.ndarray, "row column"], left: Rows, right: Rows, block: Block
    ) -> Tally:
        """Count the pairs; `dots` become cosines if wanted."""
        tally = Tally.on(self._scratch.counts.room_for(dots.size), dots.shape[1])
        if self.wanted.edges or self.wanted.n_extremes or self.wanted.largest_cosines:
            on_diagonal = block.on_diagonal
            limits, centers = self._limits, self.wanted.centers
            tally_block(dots, left, right, on_diagonal, limits, centers, self._counted, tally)
        return tally

    def counts(self) -> Int[np.ndarray, "metric n_bins"]:
        """Return the counts of all blocks up to now."""
        return sum(
            (counts.total() for counts in self._thread_counts), start=self._no_counts.total()
        )

    def candidates(self) -> Candidates | None:
        """Return the candidates for neighbors, if wanted."""
        return None if self._neighbors is None else self._neighbors.candidates


class Scratch(local):
    """Room for products and counts: fresh memory for every block costs a twentieth of the time.

    Every thread has separate attributes, made by `__init__` at the thread's first access.
    """

    def __init__(self, n_metrics: int, n_bins: int, thread_counts: list["Counts"]) -> None:
        self.counts = Counts(n_metrics, n_bins)
        thread_counts.append(self.counts)
        self._products = np.empty(0, dtype=np.float32)

    def product(
        self, x: Float[np.ndarray, "row dim"], y: Float[np.ndarray, "column dim"]
    ) -> Float[np.ndarray, "row column"]:
        """All dot products, until the next call."""
        size = len(x) * len(y)
        if len(self._products) < size:
            self._products = np.empty(size, dtype=np.float32)
        return np.matmul(x, y.T, out=self._products[:size].reshape(len(x), len(y)))


class Counts:
    """Histograms filled in 32 bits for speed, and kept in 64."""

    def __init__(self, n_metrics: int, n_bins: int) -> None:
        self.recent = np.zeros((n_metrics, n_bins), dtype=np.int32)
        self._total = np.zeros((n_metrics, n_bins), dtype=np.int64)
        self._n_recent = 0

    def room_for(self, n_pairs: int) -> Int[np.ndarray, "metric n_bins"]:
        """Return the counts, with room for as many more pairs."""
        if self._n_recent + n_pairs > MOST_COUNTS:
            self._total += self.recent
            self.recent[:] = 0
            self._n_recent = 0
        self._n_recent += n_pairs
        return self.recent

    def total(self) -> Int[np.ndarray, "metric n_bins"]:
        """Return the counts of all pairs up to now."""
        return self._total + self.recent
