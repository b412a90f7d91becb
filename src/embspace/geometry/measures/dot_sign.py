"""Computes the probability that the dot product of two random vectors is not positive."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

NEAR_MEAN = 1e-4  # standard deviations from it, where 1/w - 1/u is the difference of large numbers


def probability_not_positive(
    mean_x: Float[np.ndarray, " dim"],
    variance_x: Float[np.ndarray, " dim"],
    mean_y: Float[np.ndarray, " dim"],
    variance_y: Float[np.ndarray, " dim"],
) -> float:
    """Return P(x . y <= 0) of independent Gaussian vectors with independent coordinates.

    Vectors of one common covariance have such coordinates along its eigenvectors. The cosine is
    not positive where the dot product is not. Saddlepoint approximation from the exact cumulant
    generating function (Lugannani and Rice 1980, "Saddle point approximation for the distribution
    of the sum of independent random variables", Advances in Applied Probability 12): its relative
    error is the smaller, the more directions hold the variance, far into the tail; in ten
    dimensions under 1 %. NaN where nothing varies and the product is 0.
    """
    from scipy.optimize import brentq
    from scipy.special import ndtr

    scale, cumulants = _cumulants(mean_x, variance_x, mean_y, variance_y)
    _, mean, variance, _ = cumulants(0.0)
    if variance == 0:
        return float("nan") if mean == 0 else float(mean < 0)
    # Without a scale, one of the two is a point and the product Gaussian: any end will do.
    end = (1 - 1e-12) / scale if scale > 0 else 2 * abs(mean) / variance + 1
    if cumulants(-end)[1] > 0 or cumulants(end)[1] < 0:
        return float(mean < 0)  # so far from 0 that a float64 does not hold the rest
    point = brentq(lambda t: cumulants(t)[1], -end, end, xtol=1e-14 * end)
    value, _, curvature, third = cumulants(point)
    u = point * np.sqrt(curvature)
    if abs(u) < NEAR_MEAN:
        return float(0.5 + (u + third / (6 * curvature**1.5)) / np.sqrt(2 * np.pi))
    w = np.sign(point) * np.sqrt(max(-2 * value, 0))
    density = np.exp(-(w**2) / 2) / np.sqrt(2 * np.pi)
    return float(np.clip(ndtr(w) + density * (1 / w - 1 / u), 0, 1))


def _cumulants(
    mean_x: Float[np.ndarray, " dim"],
    variance_x: Float[np.ndarray, " dim"],
    mean_y: Float[np.ndarray, " dim"],
    variance_y: Float[np.ndarray, " dim"],
) -> tuple[float, Callable[[float], tuple[float, float, float, float]]]:
    """The largest scale, and the cumulant generating function with three derivatives.

    A coordinate's product is (s / 2) (v - w), with s the product of the standard deviations and v
    and w independent chi-squares of 1 degree of freedom, with the noncentralities `plus` and
    `minus`. Where s is 0 the product is Gaussian.
    """
    deviation_x, deviation_y = np.sqrt(variance_x), np.sqrt(variance_y)
    both = deviation_x * deviation_y > 0
    one, other = deviation_x * mean_y, deviation_y * mean_x
    s = (deviation_x * deviation_y)[both]
    plus = np.square((one + other)[both] / s) / 2
    minus = np.square((one - other)[both] / s) / 2
    mean = np.sum((mean_x * mean_y)[~both])
    variance = np.sum(np.square(one[~both]) + np.square(other[~both]))

    def at(t: float) -> tuple[float, float, float, float]:
        below, above = 1 - t * s, 1 + t * s
        value = plus * t * s / below - minus * t * s / above - np.log1p(-((t * s) ** 2))
        first = s * (1 / below - 1 / above + plus / below**2 - minus / above**2)
        second = s**2 * (1 / below**2 + 1 / above**2)
        second += 2 * s**2 * (plus / below**3 + minus / above**3)
        third = s**3 * (1 / below**3 - 1 / above**3 + 3 * (plus / below**4 - minus / above**4))
        return (
            float(value.sum() / 2 + t * mean + t**2 * variance / 2),
            float(first.sum() / 2 + mean + t * variance),
            float(second.sum() / 2 + variance),
            float(third.sum()),
        )

    return float(s.max(initial=0)), at
