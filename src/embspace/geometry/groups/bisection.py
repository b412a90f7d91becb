"""Splits a small cloud in two, and how far apart both parts lie beside Gaussian clouds."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from embspace.geometry.inference.resampling import upper_p_value

N_STARTS = 2  # principal components along which a cloud is first cut
PROMISING = 0.05  # p by few draws, from which more are drawn
N_STEPS = 10  # of Lloyd's algorithm; clouds of tens of rows need fewer


class Bisection(NamedTuple):
    """The best split of a cloud in two parts."""

    is_second: Bool[np.ndarray, "*cloud row"]
    separation: Float[np.ndarray, "*cloud"]
    """The share of the variance that lies between both parts, in [0, 1]; NaN of equal rows."""


class Apart(NamedTuple):
    """The split of one cloud, beside clouds and curves of the same covariance."""

    x: Float[np.ndarray, "row component"]
    """Principal coordinates."""
    is_second: Bool[np.ndarray, " row"]
    separation: float
    null_high: float
    """Quantile of 95 % of the separations, of the larger null."""
    p_value: float
    """The p-value against the larger null, a cloud or a curve without two parts, in (0, 1]."""


def principal_coordinates(
    x: Float[np.ndarray, "row dim"], n_components: int
) -> Float[np.ndarray, "row component"]:
    """Return the rows in their own principal components, the mean at 0.

    Returns:
        At most `n_components` columns, and no more than rows less 1, in the unit of `x`.
    """
    centered = x - x.mean(axis=0)
    left, singular, _ = np.linalg.svd(centered, full_matrices=False)
    kept = min(n_components, len(x) - 1)
    coordinates: Float[np.ndarray, "row component"] = (left * singular)[:, :kept]
    return coordinates


def bisection(x: Float[np.ndarray, "*cloud row dim"]) -> Bisection:
    """Return the split of each cloud by 2-means, the better one of two starts.

    Starts are cuts at the mean across the first two principal components; the steps are Lloyd's.
    Two distinct parts are found; in clouds without parts, further starts may gain a few percent, in
    data as in nulls.
    """
    centered = x - x.mean(axis=-2, keepdims=True)
    directions = np.linalg.eigh(np.swapaxes(centered, -1, -2) @ centered)[1]
    total = (centered**2).sum(axis=(-1, -2))
    best = Bisection(np.zeros(x.shape[:-1], dtype=bool), np.full(x.shape[:-2], -1.0))
    for number in range(1, min(N_STARTS, x.shape[-1]) + 1):
        split = _from_start(centered, (centered @ directions[..., -number, None])[..., 0] > 0)
        is_better = split.separation > best.separation
        best = Bisection(
            np.where(is_better[..., None], split.is_second, best.is_second),
            np.where(is_better, split.separation, best.separation),
        )
    share = np.divide(best.separation, total, out=np.full(total.shape, np.nan), where=total > 0)
    return Bisection(best.is_second, share)


def _from_start(
    centered: Float[np.ndarray, "*cloud row dim"], is_second: Bool[np.ndarray, "*cloud row"]
) -> Bisection:
    """Return the split that Lloyd's steps reach, with the sum of squares between both parts."""
    n = centered.shape[-2]
    for _ in range(N_STEPS):
        weight = is_second.astype(centered.dtype)
        n_second = np.clip(weight.sum(axis=-1), 1, n - 1)[..., None]
        sums = (weight[..., None, :] @ centered)[..., 0, :]
        # All rows sum to 0: the first part's sum is the second's, negated.
        second, first = sums / n_second, -sums / (n - n_second)
        axis, middle = second - first, (second + first) / 2
        place = (centered @ axis[..., None])[..., 0]
        moved = place > (axis * middle).sum(axis=-1)[..., None]
        if (moved == is_second).all():
            break
        is_second = moved
    weight = is_second.astype(centered.dtype)
    n_second = weight.sum(axis=-1)
    sums = (weight[..., None, :] @ centered)[..., 0, :]
    squares = (sums**2).sum(axis=-1)
    parts = n_second * (n - n_second)
    # Second part and first: |s|^2 / m + |s|^2 / (n - m).
    between = np.divide(squares * n, parts, out=np.zeros_like(squares), where=parts > 0)
    return Bisection(is_second, between)


def gaussian_separations(
    x: Float[np.ndarray, "row component"], n_draws: int, generator: np.random.Generator
) -> Float[np.ndarray, " draw"]:
    """Return the separation of Gaussian clouds with as many rows and the very same covariance.

    Rotations among Gaussian rows keep the distribution: given the covariance of the sample, the
    places of the rows are a random orthonormal frame (Langsrud 2005, "Rotation tests"). A p-value
    by these draws is exact for Gaussian clouds of any covariance; clouds drawn with the covariance
    of the sample (Liu et al. 2008, "Statistical significance of clustering for high-dimension,
    low-sample size data") vary too much.

    Args:
        x: Principal coordinates: uncorrelated, the mean at 0.
        n_draws: Number of clouds.
        generator: Source of the draws.
    """
    drawn = generator.standard_normal((n_draws, *x.shape), dtype=np.float32)
    return _separations_of(drawn, x)


def curve_separations(
    x: Float[np.ndarray, "row component"], n_draws: int, generator: np.random.Generator
) -> Float[np.ndarray, " draw"]:
    """Return the separation of curves with as many points and the very same covariance.

    Points drawn evenly along a curve whose coordinate k is cos(k pi t), as of the principal
    components of a random walk (Antognini and Sohl-Dickstein 2018, "PCA of high dimensional random
    walks with comparison to neural network training"). Such a continuum has no two parts, but its
    ends are denser than a Gaussian's, and 2-means parts it farther.

    Args:
        x: Principal coordinates: uncorrelated, the mean at 0.
        n_draws: Number of curves.
        generator: Source of the draws.
    """
    place = generator.random((n_draws, len(x), 1), dtype=np.float32)
    return _separations_of(np.cos(np.pi * place * np.arange(1, x.shape[1] + 1)), x)


def _separations_of(
    drawn: Float[np.ndarray, "draw row component"], x: Float[np.ndarray, "row component"]
) -> Float[np.ndarray, " draw"]:
    """Return the separations of clouds after a change to the covariance of `x`."""
    frames = np.linalg.qr(drawn - drawn.mean(axis=1, keepdims=True))[0]
    return bisection((frames * np.linalg.norm(x, axis=0)).astype(np.float32)).separation


def apart(
    x: Float[np.ndarray, "row dim"],
    n_components: int,
    n_draws: int,
    generator: np.random.Generator,
    n_more: int = 0,
) -> Apart:
    """Return how far 2-means parts a cloud in its own principal components, and by chance.

    Args:
        x: At least 4 rows, not all equal.
        n_components: Number of kept principal components.
        n_draws: Draws per null.
        generator: Source of the draws.
        n_more: Draws per null for a p of at most 0.05 by the first draws: small p-values need a
            finer resolution.
    """
    coordinates = principal_coordinates(x, n_components)
    split = bisection(coordinates)
    separation = float(split.separation)
    null_high, p_value = _by_chance(separation, coordinates, n_draws, generator)
    if n_more > n_draws and p_value <= PROMISING:
        null_high, p_value = _by_chance(separation, coordinates, n_more, generator)
    return Apart(coordinates, split.is_second, separation, null_high, p_value)


def _by_chance(
    separation: float,
    x: Float[np.ndarray, "row component"],
    n_draws: int,
    generator: np.random.Generator,
) -> tuple[float, float]:
    """Return the quantile of 95 % and the p-value, both of the larger null."""
    nulls = [null(x, n_draws, generator) for null in (gaussian_separations, curve_separations)]
    highest = max(float(np.quantile(null, 0.95)) for null in nulls)
    return highest, max(upper_p_value(separation, null) for null in nulls)
