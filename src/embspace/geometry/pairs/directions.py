"""Lengths and directions of vectors, and the angles that chance alone gives."""

import numpy as np
from jaxtyping import Float

from embspace.geometry.pairs.door import takes_arrays

SMALLEST_SQUARED, LARGEST_SQUARED = 1e-140, 1e140


def norms(x: Float[np.ndarray, "n dim"]) -> Float[np.ndarray, " n"]:
    """Return the Euclidean length of each row, in float64 whatever the type of `x`."""
    lengths = np.sqrt(np.einsum("ij,ij->i", x, x, dtype=np.float64))
    # Squares of what is so small or so large leave float64.
    lost = (lengths < SMALLEST_SQUARED) | (lengths > LARGEST_SQUARED)
    if lost.any():
        lengths[lost] = _norms_of_scaled(x[lost].astype(np.float64))
    return lengths


def _norms_of_scaled(x: Float[np.ndarray, "n dim"]) -> Float[np.ndarray, " n"]:
    largest = np.abs(x).max(axis=1, initial=0)
    scale = np.where((largest > 0) & np.isfinite(largest), largest, 1.0)
    return scale * np.sqrt(np.square(x / scale[:, np.newaxis]).sum(axis=1))


@takes_arrays(single=True, numbers="any", at_least=0)
def unit_rows(x: Float[np.ndarray, "n dim"]) -> Float[np.ndarray, "n dim"]:
    """Return every row over its length, in float32 if `x` is, else in float64.

    A row of length zero stays zero.
    """
    lengths = norms(x)[:, np.newaxis]
    return np.divide(x, lengths, where=lengths > 0, out=np.zeros_like(x), casting="same_kind")


@takes_arrays(at_least=0, invariant_to=["rotation", "scale", "lengths"])
def cosine_matrix(
    x: Float[np.ndarray, "n dim"], y: Float[np.ndarray, "m dim"] | None = None
) -> Float[np.ndarray, "n m"]:
    """Return cosines of rows of `x` with rows of `y`, or of `x`, in float64; NaN for a zero row."""
    y = x if y is None else y
    cosines = unit_rows(x) @ unit_rows(y).T
    cosines[norms(x) == 0] = np.nan
    cosines[:, norms(y) == 0] = np.nan
    # Rounding leaves values such as 1 + 2e-16 for equal directions.
    return cosines.clip(-1, 1)


def is_constant(x: Float[np.ndarray, "n dim"]) -> bool:
    """Return whether all rows are equal, without any nearest."""
    return not (x != x[:1]).any()


def distance_matrix(x: Float[np.ndarray, "n dim"]) -> Float[np.ndarray, "n n"]:
    """Return all Euclidean distances of the rows, in float64; exactly 0 for equal ones."""
    from scipy.spatial.distance import pdist, squareform

    return squareform(pdist(x.astype(np.float64)))


def cosine_tail(
    cosine: Float[np.ndarray, "..."] | float, dim: int
) -> Float[np.ndarray, "..."] | np.float64:
    """Return the probability that two independent random directions have a larger |cosine|.

    Exact for directions uniform on the sphere, those of isotropic Gaussian vectors for instance.
    One of the two may be turned onto the first axis; the squared cosine is then z_1^2 over the
    sum of z_i^2, Gaussian z, which is Beta(1/2, (dim - 1)/2): Cai, Fan and Jiang (2013),
    "Distributions of angles in random packing on spheres", JMLR 14. The normal approximation,
    standard deviation 1/sqrt(dim), is far too heavy in the tail.

    Relative error under 1e-12, or under 1e-9 within 1e-6 of cosine 1; 0 beneath 1e-308.

    Raises:
        ValueError: `cosine` outside [0, 1], or `dim` under 2.
    """
    from scipy.special import betaincc

    _check_dim(dim)
    _check_unit_interval(cosine, "cosine")
    return betaincc(0.5, (dim - 1) / 2, np.square(cosine))


def cosine_bound(
    probability: Float[np.ndarray, "..."] | float, dim: int
) -> Float[np.ndarray, "..."] | np.float64:
    """Return the |cosine| that two independent random directions exceed with this probability.

    Inverse of `cosine_tail`: 1 at probability 0, 0 at probability 1. Relative error about 1e-15;
    in few dimensions, small probabilities share the float64 numbers next to 1.

    Raises:
        ValueError: `probability` outside [0, 1], or `dim` under 2.
    """
    from scipy.special import betainccinv

    _check_dim(dim)
    _check_unit_interval(probability, "probability")
    return np.sqrt(betainccinv(0.5, (dim - 1) / 2, probability))


def _check_dim(dim: int) -> None:
    if dim < 2:
        raise ValueError(f"dim: expected at least 2, found {dim}")


def _check_unit_interval(value: Float[np.ndarray, "..."] | float, name: str) -> None:
    if not np.all((np.asarray(value) >= 0) & (np.asarray(value) <= 1)):
        raise ValueError(f"{name}: expected values in [0, 1], found {value}")
