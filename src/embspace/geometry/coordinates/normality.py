"""Measures the distance of numbers from a normal distribution of their mean and variance."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

REACH = 6.0  # standard deviations on each side where distributions are compared
N_CELLS = 1200  # in this range, so that a cell has 0.4 % of normal numbers at most

NumberStack = Float[np.ndarray, "*stack n"]
ValueStack = Float[np.ndarray, "*stack"]


def standardized(x: NumberStack) -> NumberStack:
    """Return numbers less the mean, over the standard deviation; NaN where all are equal."""
    x = np.asarray(x, dtype=np.float64)
    centered = x - x.mean(axis=-1, keepdims=True)
    spread = np.sqrt(np.square(centered).mean(axis=-1, keepdims=True))
    # What rounding leaves of equal numbers is no spread.
    size = np.abs(x).max(axis=-1, keepdims=True, initial=0.0)
    spread = np.where(spread > 1e-12 * size, spread, np.nan)
    return np.asarray(centered / spread)


class Normality(NamedTuple):
    """Two distances from the normal distribution, of the same numbers."""

    excess_kurtosis: ValueStack
    distance: ValueStack


def normality(x: NumberStack) -> Normality:
    """Return `excess_kurtosis` and `distance_from_normal`, standardizing only once."""
    z = standardized(x)
    return Normality(_kurtosis(z), _distance(z))


def excess_kurtosis(x: NumberStack) -> ValueStack:
    """Return the mean fourth power of standardized numbers, less 3: from -2 on, 0 if normal.

    Large where a few numbers are far out. Pearson 1905; with the divisor n. Of n normal numbers it
    has a standard deviation of about sqrt(24 / n). NaN where all are equal.
    """
    return _kurtosis(standardized(x))


def largest_standardized(x: NumberStack) -> ValueStack:
    """Return the largest distance of a number from the mean, in standard deviations.

    From 1 to sqrt(n - 1); NaN where all are equal. The median of n normal numbers is
    `typical_largest`.
    """
    return np.asarray(np.abs(standardized(x)).max(axis=-1))


def typical_largest(n: int) -> float:
    """Return the median of the largest absolute value of `n` independent normal numbers."""
    from scipy.special import ndtri

    return float(ndtri((1 + 0.5 ** (1 / n)) / 2))


def distance_from_normal(x: NumberStack) -> ValueStack:
    """Return the largest difference between the distribution function and the normal one.

    The statistic of Kolmogorov and Smirnov with the numbers' own mean and variance, as Lilliefors
    1967 has it: from 0 to 1, of n normal numbers about 0.6 / sqrt(n). Compared at 1,201 places
    within 6 standard deviations, without sorting: at most 0.004 too small. NaN where all are equal.
    """
    return _distance(standardized(x))


def _kurtosis(z: NumberStack) -> ValueStack:
    squares = np.square(z)
    return np.asarray(np.einsum("...n,...n->...", squares, squares) / z.shape[-1] - 3)


def _distance(z: NumberStack) -> ValueStack:
    from scipy.special import ndtr

    flat = z.reshape(-1, z.shape[-1])
    # Cell k holds what lies between the edges k - 1 and k; the outermost what lies beyond.
    place = flat * (N_CELLS / (2 * REACH))
    place += N_CELLS / 2 + 1
    np.clip(place, 0, N_CELLS + 1, out=place)
    undefined = np.isnan(place[:, 0])
    place[undefined] = 0
    cell = place.astype(np.int64)
    cell += (N_CELLS + 2) * np.arange(len(flat))[:, None]
    counts = np.bincount(cell.ravel(), minlength=(N_CELLS + 2) * len(flat))
    below = counts.reshape(len(flat), -1).cumsum(axis=1)[:, :-1] / flat.shape[1]
    edges = np.linspace(-REACH, REACH, N_CELLS + 1)
    distance = np.abs(below - ndtr(edges)).max(axis=1)
    distance[undefined] = np.nan
    return np.asarray(distance.reshape(z.shape[:-1]))
