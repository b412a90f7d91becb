"""Means over texts for versions of vectors, with paired differences."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.inference.best_choice import simultaneous_differences
from embspace.geometry.inference.half_samples import (
    half_sample_error,
    half_units,
    student_quantile,
    units_of,
)


class Paired(NamedTuple):
    """Means by version, and differences from the reference, with intervals."""

    value: Float[np.ndarray, " version"]
    low: Float[np.ndarray, " version"]
    high: Float[np.ndarray, " version"]
    difference: Float[np.ndarray, " version"]
    difference_low: Float[np.ndarray, " version"]
    """The bounds of differences hold for all versions at once."""
    difference_high: Float[np.ndarray, " version"]


def paired_means(
    scores: Float[np.ndarray, "version text"],
    document: Int[np.ndarray, " text"],
    *,
    reference: int = 0,
    n_half_samples: int,
    level: float,
    rng: np.random.Generator,
) -> Paired:
    """Return means over texts, with intervals over documents by half-samples.

    Differences are paired: how easy a text is cancels. Bounds are NaN with fewer than 4 documents.
    """
    unit = units_of(document)
    counts = np.bincount(unit)
    sums = np.stack([np.bincount(unit, values) for values in scores])
    halves = half_units(len(counts), n_half_samples, rng)
    half_values = (halves @ sums.T) / (halves @ counts)[:, None]
    return paired_statistics(
        scores.mean(axis=1), half_values, len(counts), reference=reference, level=level
    )


def paired_statistics(
    value: Float[np.ndarray, " version"],
    half_values: Float[np.ndarray, "half version"],
    n_units: int,
    *,
    reference: int = 0,
    level: float,
) -> Paired:
    """Return values of all units with intervals from halves, as drawn by `half_units`."""
    error = half_sample_error(half_values, n_units)
    reach = error * student_quantile(n_units, len(half_values), level)
    differences = simultaneous_differences(
        value,
        half_values,
        np.full(len(value), reference),
        n_units=n_units,
        level=level,
        is_picked=False,
    )
    return Paired(value, value - reach, value + reach, *differences)
