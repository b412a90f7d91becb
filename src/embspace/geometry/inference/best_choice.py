"""Differences of many alternatives from one of them, with bounds that hold all at once."""

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
    """Holds the difference of each alternative from the one that it is held against."""

    value: Float[np.ndarray, " alternative"]
    low: Float[np.ndarray, " alternative"]
    """The lower bounds; the intervals hold all differences together."""
    high: Float[np.ndarray, " alternative"]


def simultaneous_differences(
    values: Float[np.ndarray, " alternative"],
    of_halves: Float[np.ndarray, "half alternative"],
    reference: Int[np.ndarray, " alternative"],
    *,
    n_units: int,
    level: float,
    is_picked: bool,
) -> Differences:
    """Return each value less that of its reference, with simultaneous bounds from half-samples.

    What halves do to both is subtracted, so that the intervals are paired. The largest of normal
    deviates that are correlated as the differences are gives the one multiple of the standard error
    that holds for all (max-t): Student's quantile where that is a normal one. Whoever picks one of
    many may read its interval as it stands; whoever picks the reference must say so by `is_picked`.
    An alternative that moves with its reference in all halves, as the reference itself, has no
    width. NaN with fewer than 4 units.

    Args:
        values: Of all units.
        of_halves: Of each half and of the other one, by turns, as `half_units` draws them.
        reference: The place of the alternative that each is held against.
        n_units: Which are drawn.
        level: How often such intervals hold all differences.
        is_picked: Whether these very values chose the reference, as the best of all. The multiple
            is then that of the differences of every two alternatives (Tukey), whichever it is.
    """
    difference = values - values[reference]
    if n_units < FEWEST_UNITS:
        missing = np.full(len(values), np.nan)
        return Differences(difference, missing, missing)
    drawn = of_halves - of_halves[:, reference]
    held = _of_every_two(of_halves) if is_picked else drawn
    reach = half_sample_error(drawn, n_units) * _multiple(held, n_units, level)
    return Differences(difference, difference - reach, difference + reach)


def _of_every_two(
    of_halves: Float[np.ndarray, "half alternative"],
) -> Float[np.ndarray, "half pair"]:
    first, second = np.triu_indices(of_halves.shape[1], 1)
    return of_halves[:, first] - of_halves[:, second]


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
        student_quantile(n_units, len(drawn), each) for each in (level, 2 * ndtr(largest) - 1)
    )
