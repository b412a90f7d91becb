"""Compiled loops over the rows of states: each row is read once, while it is in the cache."""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Float
from numba import njit

# Sums may be reordered, so that LLVM can vectorize. A NaN stays one.
VECTORISED = {"reassoc", "contract", "nsz"}


class RowTotals(NamedTuple):
    """Totals over rows x, with y = x - origin, and three numbers for each row."""

    total: Float[np.ndarray, " dim"]
    """Sum of y."""
    cubes: Float[np.ndarray, " dim"]
    """Sum of |y|^2 y."""
    unit_total: Float[np.ndarray, " dim"]
    """Sum of x / |x|."""
    unit_squares: Float[np.ndarray, " dim"]
    """Sum of the squares of the coordinates of x / |x|."""
    norms: Float[np.ndarray, " n"]
    energies: Float[np.ndarray, " n"]
    """|y|^2."""
    cosines: Float[np.ndarray, " n"]
    """To the reference; 0 of a row of length zero."""

    @classmethod
    def zeros(cls, n: int, dim: int) -> "RowTotals":
        """Return zeros for n rows."""
        return cls(*(np.zeros(dim) for _ in range(4)), *(np.zeros(n) for _ in range(3)))


@no_type_check
@njit(fastmath=VECTORISED, cache=True)
def add_rows(x, chosen, origin, reference, y, totals):
    """Fill `y` with x - origin of the chosen rows, and add to `totals`.

    Vectors of length zero have no direction.
    """
    total, cubes, unit_total, unit_squares, norms, energies, cosines = totals
    for i in range(chosen.size):
        row = x[chosen[i]]
        square, dot, energy = 0.0, 0.0, 0.0
        for j in range(x.shape[1]):
            value = np.float64(row[j])
            centered = value - origin[j]
            square += value * value
            dot += value * reference[j]
            energy += centered * centered
            y[i, j] = centered
        norms[i], energies[i] = np.sqrt(square), energy
        inverse = 1.0 / norms[i] if norms[i] > 0 else 0.0
        cosines[i] = dot * inverse
        for j in range(x.shape[1]):
            unit = np.float64(row[j]) * inverse
            total[j] += y[i, j]
            cubes[j] += energy * y[i, j]
            unit_total[j] += unit
            unit_squares[j] += unit * unit


@no_type_check
@njit(cache=True)
def add_to_groups(x, group, totals):
    """Add each row of `x` to the row of `totals` that `group` names."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            totals[group[i], j] += np.float64(x[i, j])


@no_type_check
@njit(cache=True)
def mirror_upper(matrix):
    """Copy what is above the diagonal of a square matrix to below it."""
    for i in range(matrix.shape[0]):
        for j in range(i):
            matrix[i, j] = matrix[j, i]
