"""Eigenvalues of a covariance and of the same matrix with the mean, from one reduction."""

import numpy as np
from jaxtyping import Float

PerCoordinate = Float[np.ndarray, " dim"]


def spectra_with_and_without(
    covariance: Float[np.ndarray, "dim dim"], mean: Float[np.ndarray, " dim"]
) -> tuple[PerCoordinate, PerCoordinate]:
    """Return the eigenvalues of C and of C + m m', both largest first, in float64.

    Tridiagonalization takes most of the time, and is done once for both. The axes are first
    mirrored to put m along the first axis, which tridiagonalization (Golub and Van Loan 2013,
    "Matrix Computations", 8.3.1, from the lower half) leaves unchanged: m m' then adds the square
    of m to a single entry of the diagonal. The error is some 1e-15 of the largest, as for separate
    spectra.
    """
    # scipy.linalg is imported where it is needed, for it takes a while.
    from scipy.linalg.blas import dsyr2
    from scipy.linalg.lapack import dsterf, dsytrd, dsytrd_lwork

    dim = len(mean)
    if dim == 1:
        return covariance[0].copy(), covariance[0] + mean**2
    reduced = np.array(covariance, dtype=np.float64, order="F")
    axis, length = _mirror(mean)
    if length > 0:
        image = reduced @ axis
        image -= (axis @ image / 2) * axis
        reduced = dsyr2(-1.0, axis, image, lower=1, a=reduced, overwrite_a=1)
    size = int(dsytrd_lwork(dim, lower=1)[0])
    _, diagonal, beside, _, _ = dsytrd(reduced, lower=1, lwork=size, overwrite_a=1)
    raised = diagonal.copy()
    raised[0] += length**2
    spectra = [dsterf(values, beside) for values in (diagonal, raised)]
    if any(failure for _, failure in spectra):
        raise np.linalg.LinAlgError("eigenvalues did not converge")
    without, with_mean = (values[::-1] for values, _ in spectra)
    return without, with_mean


def _mirror(mean: PerCoordinate) -> tuple[PerCoordinate, float]:
    """Return a vector a of squared length 2, and m's: I - a a' turns m onto the first axis."""
    length = float(np.linalg.norm(mean))
    if length == 0:
        return np.zeros_like(mean), 0.0
    axis = mean / length
    axis[0] += np.copysign(1.0, axis[0])  # away from the first axis: no digit cancels
    return axis * (np.sqrt(2) / np.linalg.norm(axis)), length
