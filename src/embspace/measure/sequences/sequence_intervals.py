"""Intervals of means over documents, in which every class keeps its share."""

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.geometry.inference.resampling import Interval, stratified_interval


def numbered(label: Int[np.ndarray, " document"]) -> Int[np.ndarray, " document"]:
    """Return classes numbered without gaps, for some of them may have no document here."""
    return np.asarray(pd.factorize(label)[0].astype(np.int64))


def class_means(
    values: Float[np.ndarray, " document *rest"],
    stratum: Int[np.ndarray, " document"],
    *,
    n_resamples: int,
    level: float,
    seed: int,
) -> tuple[Float[np.ndarray, "*rest"], Interval]:
    """Return the mean over documents with an interval by half-samples within classes.

    A half of an odd number has one more or less: classes weigh in a half as in the whole. The
    halves are the same for all values of as many documents, and two deviations can be subtracted.
    Bounds are NaN with a class of a single document, or with fewer than 4 documents.
    """
    sizes = np.bincount(stratum)

    def mean(chosen: Int[np.ndarray, " drawn"]) -> Float[np.ndarray, "*rest"]:
        counts = np.bincount(stratum[chosen], minlength=len(sizes))
        weights = (sizes / np.maximum(counts, 1))[stratum[chosen]]
        return np.asarray(np.tensordot(weights / weights.sum(), values[chosen], axes=1))

    generator = np.random.default_rng(seed)
    interval = stratified_interval(
        mean, stratum, n_resamples=n_resamples, level=level, generator=generator
    )
    if 1 in sizes:
        interval = Interval(*(np.full_like(array, np.nan) for array in interval))
    return mean(np.arange(len(stratum))), interval
