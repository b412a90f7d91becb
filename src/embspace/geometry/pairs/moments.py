"""Sums over vectors from which all measures of a spectrum follow; they add up over texts."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from embspace.geometry.pairs.square_memory import check_square
from embspace.geometry.pairs.two_spectra import spectra_with_and_without

BLOCK_ROWS = 4096


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums over n vectors relative to an origin, in float64.

    The sums of two clouds with the same origin add up to the sums of both: a half of the texts
    needs no second look at the vectors.
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
    rows: Float[np.ndarray, "n dim"] | None = None
    """The y where they are fewer than coordinates: the products of pairs of them, a smaller matrix
    than `products`, have the same eigenvalues.
    """

    def __add__(self, other: "Moments") -> "Moments":
        """Return the moments of both clouds together.

        Raises:
            ValueError: the origins differ.
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

    @property
    def variances(self) -> Float[np.ndarray, " dim"]:
        """Return the eigenvalues of the covariance, largest first; at most n - 1 are not 0."""
        return self._spectra[0]

    @property
    def energies(self) -> Float[np.ndarray, " dim"]:
        """Eigenvalues of the mean of x x', largest first: the same of vectors as they are."""
        return self._spectra[1]

    @cached_property
    def _spectra(self) -> tuple[Float[np.ndarray, " dim"], Float[np.ndarray, " dim"]]:
        """Variances and energies."""
        if self.rows is None:
            spectra = spectra_with_and_without(self.covariance, self.mean)
        else:
            varying = self.rows - self.total / self.n
            spectra = self._product_spectrum(varying), self._product_spectrum(varying + self.mean)
        variances, energies = (values.clip(min=0) for values in spectra)
        variances[self.n - 1 :] = 0
        energies[self.n :] = 0
        return variances, energies

    def _product_spectrum(self, x: Float[np.ndarray, "n dim"]) -> Float[np.ndarray, " dim"]:
        """Return the eigenvalues of the mean of x x' over rows, by products of pairs of rows."""
        values = np.zeros(self.dim)
        values[: self.n] = np.linalg.eigvalsh(x @ x.T)[::-1] / self.n
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
    """The moments of the rows of `x`, or `x` if moments are given.

    `origin`: by default the first row, to lose no digit to a common part of all rows, with exact
    zeros for equal rows. Few rows are kept, unless an origin is given: moments with an origin are
    to be added up.
    """
    if isinstance(x, Moments):
        return x
    few = origin is None and len(x) < x.shape[1]
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
    return Moments(len(x), origin, total, products, cubes, quartic, x - origin if few else None)
