"""Intervals and p-values by counting: nothing is assumed of the distribution."""

from collections.abc import Callable
from typing import NamedTuple
from zlib import crc32

import numpy as np
from jaxtyping import Float, Int


class Interval(NamedTuple):
    """Bounds of a value, with the deviations behind the bounds."""

    low: Float[np.ndarray, "..."]
    high: Float[np.ndarray, "..."]
    deviations: Float[np.ndarray, "draw ..."]
    """Of every half from all units, at the size of the deviation of all units from the truth. For
    the interval of the difference of two values, subtract their deviations over the same halves and
    call `interval_bounds`. No draw with fewer than 4 units."""


def half_sample_interval(
    statistic: Callable[[Int[np.ndarray, " unit"]], Float[np.ndarray, "..."]],
    n_units: int,
    *,
    n_resamples: int,
    level: float,
    generator: np.random.Generator,
) -> Interval:
    """Confidence interval of `statistic` over independent units.

    Subsampling without replacement (Politis & Romano 1994, "Large sample confidence regions based
    on subsamples under minimal assumptions", Annals of Statistics 22): the statistic of half of the
    units deviates from the full statistic as the full statistic does from the truth, up to sqrt(b /
    (n - b)) for b units of n. Unlike drawing with replacement, no unit comes twice, and statistics
    of pairs and of neighbors keep their meaning.

    `statistic` takes the numbers of used units, and gives an array of values with an expectation
    independent of the number of units. NaN in a half is left out of the value's quantiles. Bounds
    are NaN with fewer than 4 units.
    """
    whole = np.asarray(statistic(np.arange(n_units)), dtype=np.float64)
    half = n_units // 2
    if n_units < 4:
        return half_sample_bounds(whole, np.empty((0, *whole.shape)), n_units, level=level)
    drawn = np.stack(
        [
            statistic(np.sort(generator.choice(n_units, half, replace=False)))
            for _ in range(n_resamples)
        ]
    )
    return half_sample_bounds(whole, drawn, n_units, level=level)


def half_sample_bounds(
    whole: Float[np.ndarray, "..."],
    drawn: Float[np.ndarray, "draw ..."],
    n_units: int,
    *,
    level: float,
) -> Interval:
    """The `half_sample_interval` from the values of all units and of drawn halves.

    For a statistic that is computed of many halves at once; a half has `n_units // 2` units. All
    NaN with fewer than 4 units.
    """
    half = n_units // 2
    drawn = drawn if n_units >= 4 else drawn[:0]
    deviations = (drawn - whole) * np.sqrt(half / max(n_units - half, 1))
    return Interval(*interval_bounds(whole, deviations, level=level), deviations)


def interval_bounds(
    value: Float[np.ndarray, "..."], deviations: Float[np.ndarray, "draw ..."], *, level: float
) -> tuple[Float[np.ndarray, "..."], Float[np.ndarray, "..."]]:
    """Return the bounds of values with these deviations from the truth; NaN without a deviation."""
    tail = (1 - level) / 2
    defined = ~np.isnan(deviations).all(axis=0)
    quantiles = np.full((2, *value.shape), np.nan)
    if defined.any():
        quantiles[:, defined] = np.nanquantile(deviations[:, defined], [1 - tail, tail], axis=0)
    low, high = value - quantiles
    return np.asarray(low), np.asarray(high)


def stratified_interval(
    statistic: Callable[[Int[np.ndarray, " drawn"]], Float[np.ndarray, "..."]],
    stratum: Int[np.ndarray, " unit"],
    *,
    n_resamples: int,
    level: float,
    generator: np.random.Generator,
) -> Interval:
    """`half_sample_interval` with half of the units of every stratum in a half.

    The mixture of strata, fixed by the design, then adds nothing to the width. `statistic` takes
    the numbers of used units. Strata of odd size have one unit more or less than half: a statistic
    of mixed strata has to weigh strata as in the whole.
    """
    inside = generator.spawn(1)[0]

    def half_statistic(units: Int[np.ndarray, " drawn"]) -> Float[np.ndarray, "..."]:
        whole = len(units) == len(stratum)
        return statistic(units if whole else half_of_each(stratum, inside))

    return half_sample_interval(
        half_statistic, len(stratum), n_resamples=n_resamples, level=level, generator=generator
    )


def half_of_each(
    stratum: Int[np.ndarray, " unit"], generator: np.random.Generator
) -> Int[np.ndarray, " drawn"]:
    """Return the sorted numbers of half of the units of every stratum, drawn at random.

    Strata of odd size take turns in giving the unit more or less; all strata together give a half.
    """
    names, sizes = np.unique(stratum, return_counts=True)
    halves = np.diff(np.cumsum(sizes) // 2, prepend=0)
    drawn = [
        generator.choice(np.flatnonzero(stratum == name), half, replace=False)
        for name, half in zip(names, halves, strict=True)
    ]
    return np.sort(np.concatenate(drawn))


def stream_of(generator: np.random.Generator, *names: str) -> np.random.Generator:
    """Return a group's generator, from the seed of `generator` and the names alone.

    Draws for other groups, or from `generator`, have no effect: the halves of a group are the same
    for two models even if one lacks a further group.
    """
    seeds = generator.bit_generator.seed_seq
    assert isinstance(seeds, np.random.SeedSequence)  # what default_rng and spawn make
    words = (crc32("\0".join(names).encode()),)
    own = np.random.SeedSequence(seeds.entropy, spawn_key=(*seeds.spawn_key, *words))
    return np.random.default_rng(own)


def upper_p_value(value: float, null: Float[np.ndarray, " draw"]) -> float:
    """Return the probability of as large a value under the null: (1 + as large) / (1 + draws).

    The value itself counts as a draw (Phipson & Smyth 2010, "Permutation p-values should never be
    zero"), so the p-value is valid and never 0. NaN if the value or every draw is NaN.
    """
    null = null[~np.isnan(null)]
    if np.isnan(value) or not len(null):
        return float("nan")
    return float((1 + np.sum(null >= value)) / (1 + len(null)))


def probability_of_larger(
    x: Float[np.ndarray, "*stack n"], y: Float[np.ndarray, "*stack m"]
) -> Float[np.ndarray, "*stack"]:
    """Return the probability that a value of `x` is larger than a value of `y`; ties count half.

    The area under the ROC curve for `x` against `y`, and Mann and Whitney's (1947) U over the
    largest possible U. 0.5 for equal distributions; no scale is assumed. NaN if a sample is empty,
    or has an undefined value.
    """
    from scipy.stats import rankdata

    n, m = x.shape[-1], y.shape[-1]
    if not n or not m:
        return np.full(x.shape[:-1], np.nan)
    ranks = rankdata(np.concatenate([x, y], axis=-1), axis=-1)
    return np.asarray((ranks[..., :n].sum(axis=-1) - n * (n + 1) / 2) / (n * m))
