"""Changes of coordinates meant to repair embeddings, fitted on vectors."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from jaxtyping import Float

from embspace.geometry.pairs.directions import unit_rows
from embspace.geometry.pairs.door import takes_arrays

CoordinateChange = Literal[
    "raw", "unit_length", "centered", "top_1", "top_2", "top_3", "standardized", "whitened"
]
CHANGES: tuple[CoordinateChange, ...] = get_args(CoordinateChange)
SMALLEST = 1e-10  # of the largest variance: what varies less varies by rounding


@dataclass(frozen=True, eq=False)
class Affine:
    """A change of coordinates, `(x - mean) @ matrix`, and then to unit length if `is_unit`."""

    mean: Float[np.ndarray, " dim"]
    matrix: Float[np.ndarray, "dim kept"] | None
    """None for the identity."""
    is_unit: bool = False

    def __call__(self, x: Float[np.ndarray, "n dim"]) -> Float[np.ndarray, "n kept"]:
        """Return changed vectors, float64."""
        changed = x.astype(np.float64) - self.mean
        if self.matrix is not None:
            changed = changed @ self.matrix
        return unit_rows(changed) if self.is_unit else changed


@takes_arrays()
def fitted_change(x: Float[np.ndarray, "n dim"], change: CoordinateChange) -> Affine:
    """Return a change of coordinates with the moments of `x`.

    `centered`: less the mean. `top_1` to `top_3`: also without so many first principal components
    (Mu and Viswanath 2018, "All-but-the-top"). `standardized`: less the mean, each coordinate over
    its standard deviation. `whitened`: less the mean, each principal component over its standard
    deviation (Su et al. 2021, arXiv:2103.15316); directions without variance are dropped.
    """
    dim = x.shape[1]
    if change in ("raw", "unit_length"):
        return Affine(np.zeros(dim), None, is_unit=change == "unit_length")
    mean = x.mean(axis=0)
    if change == "centered":
        return Affine(mean, None)
    centered = x - mean
    if change == "standardized":
        spread = centered.std(axis=0)
        is_wide = np.square(spread) > SMALLEST * np.square(spread).max(initial=0)
        return Affine(mean, np.diag(np.where(is_wide, 1 / np.where(is_wide, spread, 1), 0)))
    variances, axes = np.linalg.eigh(centered.T @ centered / len(x))
    if change == "whitened":
        varies = variances > SMALLEST * max(variances[-1], 0)
        return Affine(mean, axes[:, varies] / np.sqrt(variances[varies]))
    top = axes[:, -int(change.removeprefix("top_")) :]
    return Affine(mean, np.eye(dim) - top @ top.T)
