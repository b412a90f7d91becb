"""Which of several values differ between two corpora, with documents as units of chance."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.geometry.groups.two_clouds import dealt_anew
from embspace.geometry.inference.resampling import upper_p_value
from embspace.geometry.pairs.safe_ratio import ratio


class Shifts(NamedTuple):
    """Differences of means between two corpora, value by value."""

    first: Float[np.ndarray, " value"]
    """The mean of the first corpus."""
    second: Float[np.ndarray, " value"]
    effect: Float[np.ndarray, " value"]
    """The second mean less the first, in standard deviations of all texts; NaN of a constant."""
    p_value: Float[np.ndarray, " value"]
    """Two-sided, for all values at once: the largest effect of any, among dealt documents."""


def mean_shifts(
    values: Float[np.ndarray, "text value"],
    is_first: Bool[np.ndarray, " text"],
    document: Int[np.ndarray, " text"],
    *,
    n_permutations: int,
    rng: np.random.Generator,
) -> Shifts:
    """Return how the means of values differ between two corpora.

    Labels are dealt anew among whole documents, and the largest effect of a deal is the null of all
    effects (Westfall & Young 1993, "Resampling-based multiple testing").
    """
    spread = values.std(axis=0)
    scaled = ratio(values - values.mean(axis=0), np.where(spread > 0, spread, np.nan))
    filled = np.nan_to_num(scaled)
    effect = _difference(filled, is_first)
    null = np.array(
        [
            np.abs(_difference(filled, dealt_anew(is_first, document, rng))).max()
            for _ in range(n_permutations)
        ]
    )
    p_value = np.array([upper_p_value(float(abs(shift)), null) for shift in effect])
    p_value[spread == 0], effect[spread == 0] = np.nan, np.nan
    first, second = values[is_first].mean(axis=0), values[~is_first].mean(axis=0)
    return Shifts(first, second, effect, p_value)


def _difference(
    values: Float[np.ndarray, "text value"], is_first: Bool[np.ndarray, " text"]
) -> Float[np.ndarray, " value"]:
    difference: np.ndarray = values[~is_first].mean(axis=0) - values[is_first].mean(axis=0)
    return difference
