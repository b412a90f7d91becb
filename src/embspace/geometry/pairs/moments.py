"""Sums over vectors from which all measures of a spectrum follow, and which add up over texts."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from embspace.geometry.pairs.square_memory import check_square

BLOCK_ROWS = 4096


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums over n vectors relative to an origin, in float64.

    Those of two clouds with one origin add up to those of both: a half of the texts needs no
    second look at the vectors.
    """

    n: int
    origin: Float[np.ndarray, " dim"]
    total: Float[np.ndarray, " dim"]
    """Sum of y = x - origin."""
    products: Float[np.ndarray, "dim dim"]
    """Sum of y y'."""
    cubes: Float[np.ndarray, " dim"]
    """Sum of |y|^2 y."""
    quartic: float
    """Sum of |y|^4."""

    def __add__(self, other: "Moments") -> "Moments":
        """Return the moments of both clouds together.

        Raises:
            ValueError: their origins differ.
        """
        if not np.array_equal(self.origin, other.origin):
            raise ValueError("moments: expected one origin, found two")
        return Moments(
            self.n + other.n,
            self.origin,
            self.total + other.total,
            self.products + other.products,
            self.cubes + other.cubes,
            self.quartic + other.quartic,
        )

    @property
    def dim(self) -> int:
        """Return the number of coordinates."""
        return len(self.origin)

    @cached_property
    def mean(self) -> Float[np.ndarray, " dim"]:
        """Return the mean vector."""
        return self.origin + self.total / self.n

    @cached_property
    def covariance(self) -> Float[np.ndarray, "dim dim"]:
        """Return the covariance of the population: divided by n."""
        shift = self.total / self.n
        return self.products / self.n - np.outer(shift, shift)

    @cached_property
    def variances(self) -> Float[np.ndarray, " dim"]:
        """Return the eigenvalues of the covariance, largest first; at most n - 1 are not 0."""
        values = np.linalg.eigvalsh(self.covariance)[::-1].clip(min=0)
        values[self.n - 1 :] = 0
        return values

    @cached_property
    def energies(self) -> Float[np.ndarray, " dim"]:
        """Eigenvalues of the mean of x x', largest first: the same of vectors as they are."""
        values = np.linalg.eigvalsh(self.covariance + np.outer(self.mean, self.mean))[::-1]
        values = values.clip(min=0)
        values[self.n :] = 0
        return values

    @cached_property
    def mean_quartic(self) -> float:
        """Return the mean of |x - mean|^4."""
        m = self.total / self.n  # of y, as all below
        square, energy = float(m @ m), float(np.trace(self.products))
        sums = self.quartic + 4 * m @ self.products @ m + self.n * square**2
        sums += 2 * square * energy - 4 * m @ self.cubes - 4 * square * m @ self.total
        return float(sums / self.n)


def moments_of(
    x: "Float[np.ndarray, 'n dim'] | Moments", origin: Float[np.ndarray, " dim"] | None = None
) -> Moments:
    """The moments of the rows of `x`, or `x` if these are moments.

    `origin`: by default the first row, so that no digit is lost to what all rows share, and equal
    rows have exact zeros.
    """
    if isinstance(x, Moments):
        return x
    origin = x[0].astype(np.float64) if origin is None else origin
    dim = x.shape[1]
    check_square(dim)
    total, cubes, products, quartic = np.zeros(dim), np.zeros(dim), np.zeros((dim, dim)), 0.0
    for first in range(0, len(x), BLOCK_ROWS):
        y = x[first : first + BLOCK_ROWS] - origin
        squared = np.einsum("ij,ij->i", y, y)
        total += y.sum(axis=0)
        products += y.T @ y
        cubes += squared @ y
        quartic += float(squared @ squared)
    return Moments(len(x), origin, total, products, cubes, quartic)
