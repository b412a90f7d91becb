"""The share of the first principal axis by batch of vectors, in the order of the texts.

Razzhigaev et al. (2024) use batches of 4,096 tokens and call the mean over the batches anisotropy.
"""

import numpy as np
from jaxtyping import Float

from embspace.geometry.measures.spectral_measures import top_variance_share
from embspace.geometry.pairs.moments import Moments

FEW = 64  # coordinates, of which all eigenvalues take no time


class BatchShares:
    """Shares of batches of `size` vectors; the last batch has the rest, too."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._shares: list[float] = []
        self._whole: Moments | None = None  # the last whole batch, as long as it may grow
        self._open: Moments | None = None

    @property
    def room(self) -> int:
        """Return how many vectors still fit into the open batch."""
        return self.size - (self._open.n if self._open else 0)

    def add(self, moments: Moments) -> None:
        """Add at most `room` vectors, by their moments about the origin that all batches share."""
        self._open = moments if self._open is None else self._open + moments
        if self._open.n == self.size:
            if self._whole is not None:
                self._shares.append(top_share(self._whole))
            self._whole, self._open = self._open, None

    def shares(self) -> Float[np.ndarray, " batch"]:
        """Return the shares of all batches."""
        last = [
            moments for moments in (self._whole, self._open) if moments is not None and moments.n
        ]
        rest = [top_share(sum(last[1:], start=last[0]))] if last else []
        return np.array([*self._shares, *rest])


def top_share(moments: Moments) -> float:
    """Return `top_variance_share`; for many coordinates, from the largest eigenvalue alone."""
    covariance = moments.covariance
    total = float(np.trace(covariance))
    if len(covariance) <= FEW or not total > 0:
        return float(top_variance_share(moments))
    from scipy.sparse.linalg import eigsh

    # From a start of its own, the same number comes out each time.
    start = np.random.default_rng(0).normal(size=len(covariance))
    largest = eigsh(covariance, k=1, v0=start, return_eigenvectors=False)[0]
    return float(largest) / total
