"""Sums over vectors from which all measures of direction follow; they add up over texts."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from embspace.geometry.pairs.directions import norms, unit_rows


@dataclass(frozen=True, eq=False)
class DirectionSums:
    """Sums over n vectors, in float64. The sums of two clouds add up to the sums of both."""

    n: int
    n_directed: int
    """The number of nonzero vectors; zero vectors have no direction."""
    unit_total: Float[np.ndarray, " dim"]
    """Sum of u = x / |x|."""
    unit_squares: Float[np.ndarray, " dim"]
    """Sum of the squares of the coordinates of u."""
    total: Float[np.ndarray, " dim"]
    """Sum of x."""
    total_norm: float
    """Sum of |x|."""

    def __add__(self, other: "DirectionSums") -> "DirectionSums":
        """Return the sums of both clouds."""
        return DirectionSums(
            self.n + other.n,
            self.n_directed + other.n_directed,
            self.unit_total + other.unit_total,
            self.unit_squares + other.unit_squares,
            self.total + other.total,
            self.total_norm + other.total_norm,
        )


def direction_sums_of(x: "Float[np.ndarray, 'n dim'] | DirectionSums") -> DirectionSums:
    """The sums over the rows of `x`, or `x` if these are sums."""
    if isinstance(x, DirectionSums):
        return x
    length, unit = norms(x), unit_rows(x)
    return DirectionSums(
        n=len(x),
        n_directed=int((length > 0).sum()),
        unit_total=unit.sum(axis=0, dtype=np.float64),
        unit_squares=np.square(unit).sum(axis=0, dtype=np.float64),
        total=x.sum(axis=0, dtype=np.float64),
        total_norm=float(length.sum()),
    )
