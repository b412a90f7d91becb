"""Eigenvalues of the covariance: how the variance of a cloud is spread over directions."""

import numpy as np
from jaxtyping import Float

from embspace.geometry.pairs.door import takes_arrays
from embspace.geometry.pairs.square_memory import check_square

BLOCK_ROWS = 4096
# Shares are sums of up to some thousand rounded terms.
ROUNDING = 1e-12


@takes_arrays(single=True, invariant_to=["rotation", "translation"])
def covariance_eigenvalues(x: Float[np.ndarray, "n dim"]) -> Float[np.ndarray, " dim"]:
    """Eigenvalues of the covariance of the rows, largest first: the variances of a centered PCA.

    Of the population, divided by `n`, in float64 whatever the type of `x`; only some thousand
    rows at a time are copied. At most `n - 1` are not 0; equal rows give exact zeros. Wrong by
    some 1e-15 of the largest, so that smaller ones are rounding.

    Raises:
        ValueError: `x` has no row, or holds NaN or infinity, or memory is too small.
    """
    n, dim = x.shape
    check_square(dim)
    # Rows are taken relative to the first: what all share would cost digits.
    origin = x[0].astype(np.float64)
    starts = range(0, n, BLOCK_ROWS)
    mean = sum((x[i : i + BLOCK_ROWS] - origin).sum(axis=0) for i in starts) / n
    scatter = np.zeros((dim, dim))
    for i in starts:
        block = x[i : i + BLOCK_ROWS] - origin - mean
        scatter += block.T @ block
    eigenvalues = np.linalg.eigvalsh(scatter / n)[::-1].clip(min=0)
    eigenvalues[n - 1 :] = 0
    return eigenvalues


def gaussian_covariance_eigenvalues(
    n: int, dim: int, rng: np.random.Generator
) -> Float[np.ndarray, " dim"]:
    """A random draw of `covariance_eigenvalues` for `n` standard Gaussian vectors.

    Centered, the vectors have the scatter of n - 1 vectors about 0, a Wishart matrix. The matrix
    can be drawn without vectors, as the product of a triangular matrix with its transpose:
    Bartlett's decomposition (Anderson 2003, "An Introduction to Multivariate Statistical Analysis",
    7.2).
    """
    few, many = sorted((n - 1, dim))
    triangle = np.tril(rng.normal(size=(few, few)), k=-1)
    triangle += np.diag(np.sqrt(rng.chisquare(many - np.arange(few))))
    eigenvalues = np.zeros(dim)
    eigenvalues[:few] = np.linalg.eigvalsh(triangle @ triangle.T)[::-1].clip(min=0) / n
    return eigenvalues


@takes_arrays(numbers="any", at_least=0)
def explained_variance(
    eigenvalues: Float[np.ndarray, " component"],
) -> Float[np.ndarray, " component"]:
    """Return the share of each in the sum of all, in [0, 1]; NaN where nothing varies."""
    total = eigenvalues.sum()
    return eigenvalues / total if total > 0 else np.full_like(eigenvalues, np.nan)


def exponential_entropy(shares: Float[np.ndarray, " component"]) -> float:
    """Return the effective rank of shares of sum 1, from 1 to the number of shares; NaN of NaN."""
    if np.isnan(shares).any():
        return float("nan")
    positive = shares[shares > 0]
    return float(np.exp(-(positive * np.log(positive)).sum()))


@takes_arrays(numbers="any", at_least=0)
def components_for(eigenvalues: Float[np.ndarray, " component"], share: float) -> int | None:
    """Return how many of the first components explain `share` of the variance or more.

    `eigenvalues` are descending. None where nothing varies.

    Raises:
        ValueError: `share` is not in (0, 1].
    """
    if not 0 < share <= 1:
        raise ValueError(f"share: expected a value in (0, 1], found {share}")
    enough = np.flatnonzero(explained_variance(eigenvalues).cumsum() >= share - ROUNDING)
    return int(enough[0]) + 1 if len(enough) else None
