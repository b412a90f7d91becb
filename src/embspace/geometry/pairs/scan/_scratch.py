"""Memory that each thread of a scan keeps from block to block."""

from threading import local

import numpy as np
from jaxtyping import Float, Int

MOST_COUNTS = 2**31 - 1


class Scratch(local):
    """Room for products and counts: fresh memory for each block costs a twentieth of the time.

    Every thread sees attributes of its own, made by `__init__` when it first looks.
    """

    def __init__(self, n_metrics: int, n_bins: int, of_threads: list["Counts"]) -> None:
        self.counts = Counts(n_metrics, n_bins)
        of_threads.append(self.counts)
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
    """Histograms that are filled in 32 bits, which is faster, and kept in 64."""

    def __init__(self, n_metrics: int, n_bins: int) -> None:
        self.recent = np.zeros((n_metrics, n_bins), dtype=np.int32)
        self._total = np.zeros((n_metrics, n_bins), dtype=np.int64)
        self._n_recent = 0

    def room_for(self, n_pairs: int) -> Int[np.ndarray, "metric n_bins"]:
        """The counts to which as many pairs can be added."""
        if self._n_recent + n_pairs > MOST_COUNTS:
            self._total += self.recent
            self.recent[:] = 0
            self._n_recent = 0
        self._n_recent += n_pairs
        return self.recent

    def total(self) -> Int[np.ndarray, "metric n_bins"]:
        """Of all pairs so far."""
        return self._total + self.recent
