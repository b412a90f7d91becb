"""Holds the request to a scan, the totals of the blocks, and the sum of totals."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.pairs.distribution import Distribution
from embspace.geometry.pairs.extremes import ExtremeLists, Kept, Search
from embspace.geometry.pairs.scan._blocks import METRICS, Block, Distributions, Edges, Metric


class Wanted(NamedTuple):
    """The request to a scan."""

    edges: Edges
    """Bin edges of the counted metrics."""
    centers: Float[np.ndarray, " metric"]
    """About which the power sums are taken."""
    search: Search
    n_extremes: int
    n_neighbors: int
    largest_cosines: bool


class Part(NamedTuple):
    """The totals of one block, but for counts. Metrics in the order of `METRICS`."""

    power_sums: Float[np.ndarray, "metric 4"]
    lowest: Float[np.ndarray, " metric"]
    highest: Float[np.ndarray, " metric"]
    kept: Kept
    row_cosines: Float[np.ndarray, " row"]
    """Largest of every row, or nothing."""
    column_cosines: Float[np.ndarray, " column"]


class Totals:
    """The sum of parts, the same to the last bit for any order of the parts."""

    def __init__(
        self, distributions: Distributions, lists: ExtremeLists, n_rows: int, *, within: bool
    ) -> None:
        """Take pairs that no block has, the lists, and the number of rows with a largest cosine.

        `within` x, columns of a block are rows of x, too.
        """
        self.within = within
        self.start = distributions
        self.lowest = np.full(len(METRICS), np.inf)
        self.highest = -self.lowest
        self.power_sums: dict[tuple[int, int], np.ndarray] = {}
        self.lists = lists
        self.largest_cosines = np.full(n_rows, -np.inf)

    def add(self, block: Block, part: Part) -> None:
        """Take over a block."""
        self.lists.add(part.kept)
        if self.start:
            self.power_sums[block.rows.start, block.columns.start] = part.power_sums
            np.minimum(self.lowest, part.lowest, out=self.lowest)
            np.maximum(self.highest, part.highest, out=self.highest)
        if len(self.largest_cosines):
            self._raise_cosines(block.rows, part.row_cosines)
        if len(self.largest_cosines) and self.within:
            self._raise_cosines(block.columns, part.column_cosines)

    def _raise_cosines(self, rows: slice, cosines: np.ndarray) -> None:
        here = self.largest_cosines[rows]
        np.maximum(here, cosines, out=here)

    def distributions(self, counts: Int[np.ndarray, "metric n_bins"]) -> Distributions:
        """Return the distributions by name of the metric, with the counts of all blocks."""
        return {metric: self._distribution(metric, counts) for metric in self.start}

    def _distribution(self, metric: Metric, counts: np.ndarray) -> Distribution:
        number, start = METRICS.index(metric), self.start[metric]
        # Sums of floats depend on their order; that in which blocks are ready is chance.
        power_sums = np.zeros(4)
        power_sums += start.power_sums
        for _, sums in sorted(self.power_sums.items()):
            power_sums += sums[number]
        # What lies beyond the limits does so by rounding. Infinities mark that there is no pair.
        return Distribution(
            start.edges,
            start.counts + counts[number],
            power_sums,
            min(start.minimum, max(float(self.lowest[number]), float(start.edges[0]))),
            max(start.maximum, min(float(self.highest[number]), float(start.edges[-1]))),
            start.center,
            start.rounding,
        )
