"""The nearest neighbors of every row of a matrix, as `scan_pairs` finds them."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int


@dataclass(frozen=True, eq=False)
class NeighborGraph:
    """The nearest further rows of every row by Euclidean distance, the nearest first.

    Exact: `scan_pairs` gives the result of comparing every pair in float64.
    """

    indices: Int[np.ndarray, "n k"]
    """Row numbers, int32. Of equal distances the smaller number first; never the row itself."""
    distances: Float[np.ndarray, "n k"]
    """Ascending, float64, in units of the vectors."""

    @property
    def n(self) -> int:
        """Return the number of rows."""
        return self.indices.shape[0]

    @property
    def k(self) -> int:
        """Return the number of neighbors of every row."""
        return self.indices.shape[1]

    def first(self, k: int) -> "NeighborGraph":
        """Return the graph of the `k` nearest alone: views, not copies.

        Raises:
            ValueError: `k` under 1 or over the number of neighbors present.
        """
        if not 1 <= k <= self.k:
            raise ValueError(f"k: expected 1 to {self.k}, found {k}")
        return NeighborGraph(self.indices[:, :k], self.distances[:, :k])

    def in_degrees(self) -> Int[np.ndarray, " n"]:
        """Return how often a row is among the neighbors of other rows: the k-occurrence.

        Radovanovic, Nanopoulos and Ivanovic (2010), "Hubs in space", JMLR 11: in many dimensions a
        few rows, the hubs, have many times the average, which is `k`.
        """
        return np.bincount(self.indices.ravel(), minlength=self.n)
