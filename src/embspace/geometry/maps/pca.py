"""Principal components with fixed signs."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from threadpoolctl import threadpool_limits

from embspace.geometry.pairs.door import takes_arrays
from embspace.geometry.pairs.square_memory import check_square


@dataclass(frozen=True, eq=False)
class PrincipalComponents:
    """The orthogonal projection that keeps the most variance."""

    coordinates: Float[np.ndarray, "n component"]
    """Coordinates of the rows about the mean, in units of the vectors."""
    axes: Float[np.ndarray, "component dim"]
    """Orthonormal. The largest entry of each axis by magnitude is positive."""
    explained_variance: Float[np.ndarray, " component"]
    """Share of the whole variance, descending, in [0, 1]; NaN where nothing varies."""


@takes_arrays(single=True, at_least=2, invariant_to=["translation"])
def principal_components(
    x: Float[np.ndarray, "n dim"], *, n_components: int
) -> PrincipalComponents:
    """The first components of the rows about their mean, in float64: no sampling, no iteration.

    Eigenvectors of the covariance. Axes of equal variance are only known up to a rotation.

    Raises:
        ValueError: fewer than two rows, or not 1 to min(n, dim) components, or memory is too small.
    """
    n, dim = x.shape
    if not 1 <= n_components <= min(n, dim):
        raise ValueError(f"n_components: expected 1 to {min(n, dim)}, found {n_components}")
    check_square(dim)
    centered = x.astype(np.float64)
    centered -= centered.mean(axis=0)
    # One thread: on more BLAS would add in another order.
    with threadpool_limits(1, user_api="blas"):
        variances, vectors = np.linalg.eigh(centered.T @ centered)
        axes = vectors[:, ::-1][:, :n_components].T
        largest = np.take_along_axis(axes, np.abs(axes).argmax(axis=1)[:, np.newaxis], axis=1)
        axes = axes * np.where(largest < 0, -1.0, 1.0)
        coordinates = centered @ axes.T
    total = variances.clip(min=0).sum()
    shares = variances[::-1][:n_components].clip(min=0) / (total if total > 0 else np.nan)
    return PrincipalComponents(coordinates, axes, shares)
