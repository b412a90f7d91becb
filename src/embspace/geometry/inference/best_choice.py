"""Differences of many alternatives from a reference, with simultaneous bounds."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.inference.half_samples import (
    FEWEST_UNITS,
    half_sample_error,
    student_quantile,
)

N_DRAWS = 2000  # of deviates, for the quantile of the largest


class Differences(NamedTuple):
    """Holds the difference of every alternative from the reference, with bounds."""

    value: Float[np.ndarray, " alternative"]
    low: Float[np.ndarray, " alternative"]
    """The lower bounds; the intervals hold all differences together."""
    high: Float[np.ndarray, " alternative"]


def simultaneous_differences(
    values: Float[np.ndarray, " alternative"],
    half_values: Float[np.ndarray, "half alternative"],
    reference: Int[np.ndarray, " alternative"],
    *,
    n_units: int,
    level: float,
    is_picked: bool,
) -> Differences:
    """Return every value less the reference, with simultaneous bounds from half-samples.

    The intervals are paired: the common effect of a half on both values cancels. One multiple of
    the standard error holds for all differences: the max-t quantile of normal deviates with the
    correlations of the differences, by Student's quantile. An interval holds after picking the best
    of many; if the reference was picked, say so by `is_picked`. An alternative that moves with the
    reference in all halves has no width. NaN with fewer than 4 units.

    Args:
        values: For all units.
        half_values: For halves and complements, by turns, as drawn by `half_units`.
        reference: Index of the reference.
        n_units: Number of drawn units.
        level: How often the intervals hold all differences.
        is_picked: Whether these very values chose the reference, as the best of all. The multiple
            is then for the differences of every two alternatives (Tukey).
    """
    difference = values - values[reference]
    if n_units < FEWEST_UNITS:
        missing = np.full(len(values), np.nan)
        return Differences(difference, missing, missing)
    drawn = half_values - half_values[:, reference]
    held = _pair_differences(half_values) if is_picked else drawn
    reach = half_sample_error(drawn, n_units) * _multiple(held, n_units, level)
    return Differences(difference, difference - reach, difference + reach)


def _pair_differences(
    half_values: Float[np.ndarray, "half alternative"],
) -> Float[np.ndarray, "half pair"]:
    first, second = np.triu_indices(half_values.shape[1], 1)
    return half_values[:, first] - half_values[:, second]


def _multiple(drawn: Float[np.ndarray, "half alternative"], n_units: int, level: float) -> float:
    """Return how many standard errors the intervals of all alternatives reach on each side."""
    from scipy.special import ndtr

    spread = drawn.std(axis=0)
    moves = spread > 0
    if not moves.any():
        return 0.0
    standardized = (drawn[:, moves] - drawn[:, moves].mean(axis=0)) / spread[moves]
    # Normal deviates that are correlated as halves are, whose own tails are too short.
    normal = np.random.default_rng(0).normal(size=(N_DRAWS, len(drawn))) @ standardized
    largest = np.quantile(np.abs(normal).max(axis=1), level) / np.sqrt(len(drawn))
    return max(
        student_quantile(n_units, len(drawn), probability)
        for probability in (level, 2 * ndtr(largest) - 1)
    )
