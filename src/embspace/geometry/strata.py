"""Intervals for designs in which the strata are given and only their units could be others."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.resampling import half_sample_interval


def stratified_interval(
    statistic: Callable[[Int[np.ndarray, " drawn"]], Float[np.ndarray, "..."]],
    stratum: Int[np.ndarray, " unit"],
    *,
    n_resamples: int,
    level: float,
    generator: np.random.Generator,
) -> tuple[Float[np.ndarray, "..."], Float[np.ndarray, "..."]]:
    """`half_sample_interval`, but each half has half of the units of every stratum.

    So that the mixture of strata, which the design fixes, adds nothing to the width. `statistic`
    takes the numbers of the units that are in. Strata of odd size have one unit more or less than
    half: a statistic that mixes strata has to weigh them as the whole does.
    """
    inside = generator.spawn(1)[0]

    def of_half(units: Int[np.ndarray, " drawn"]) -> Float[np.ndarray, "..."]:
        whole = len(units) == len(stratum)
        return statistic(units if whole else half_of_each(stratum, inside))

    return half_sample_interval(
        of_half, len(stratum), n_resamples=n_resamples, level=level, generator=generator
    )


def half_of_each(
    stratum: Int[np.ndarray, " unit"], generator: np.random.Generator
) -> Int[np.ndarray, " drawn"]:
    """Sorted numbers of half of the units, drawn without replacement in each stratum.

    Strata of odd size take turns in giving the unit more or less; together they are a half.
    """
    names, sizes = np.unique(stratum, return_counts=True)
    halves = np.diff(np.cumsum(sizes) // 2, prepend=0)
    drawn = [
        generator.choice(np.flatnonzero(stratum == name), half, replace=False)
        for name, half in zip(names, halves, strict=True)
    ]
    return np.sort(np.concatenate(drawn))
