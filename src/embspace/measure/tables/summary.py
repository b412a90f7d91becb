"""Describes a distribution in a table, from its values or from bins."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.geometry.pairs.distribution import Distribution

# A standard deviation of so little of the largest value is that of rounding.
ROUNDING = 1e-14


def summary_row(distribution: Distribution, quantiles: Sequence[float]) -> dict[str, float]:
    """Return moments, extremes and quantiles of a binned distribution.

    Moments and extremes are those of the float32 values; a quantile is off by at most `resolution`,
    the width of a bin. Without values all but `n` is NaN. So is the shape of a spread that is
    little more than float32's rounding, and a quantile in a bin with more than half of all values.
    """
    if not distribution.n:
        return _undefined(quantiles)
    return {
        "n": distribution.n,
        "mean": distribution.mean,
        "standard_deviation": distribution.standard_deviation,
        "skewness": distribution.skewness,
        "excess_kurtosis": distribution.excess_kurtosis,
        "minimum": distribution.minimum,
        **{f"quantile_{q:g}": distribution.quantile(q) for q in quantiles},
        "maximum": distribution.maximum,
        "resolution": distribution.resolution,
    }


def summary_of(values: Float[np.ndarray, " n"], quantiles: Sequence[float]) -> dict[str, float]:
    """Return moments, extremes and quantiles of values, all exact; population moments.

    A value that is not defined, NaN, is left out and not counted in `n`.
    """
    values = values[~np.isnan(values)]
    if not len(values):
        return _undefined(quantiles)
    centered = values - values.mean()
    deviation = values.std()
    if deviation <= ROUNDING * np.abs(values).max():
        deviation = np.float64(0)
    return {
        "n": len(values),
        "mean": float(values.mean()),
        "standard_deviation": float(deviation),
        "skewness": float(np.mean(centered**3) / deviation**3) if deviation else np.nan,
        "excess_kurtosis": float(np.mean(centered**4) / deviation**4 - 3) if deviation else np.nan,
        "minimum": float(values.min()),
        **{f"quantile_{q:g}": float(np.quantile(values, q)) for q in quantiles},
        "maximum": float(values.max()),
        "resolution": 0.0,
    }


def _undefined(quantiles: Sequence[float]) -> dict[str, float]:
    """The row of no values."""
    return {"n": 0} | dict.fromkeys(list(summary_of(np.zeros(1), quantiles))[1:], np.nan)


def histogram_of(
    values: Float[np.ndarray, " n"], n_bins: int
) -> tuple[Int[np.ndarray, " bin"], Float[np.ndarray, " edge"]]:
    """Return counts and edges of `n_bins` bins from the smallest to the largest value.

    If the values are equal up to rounding, without a float between two edges, the bins are as for
    equal values: from half under to half over.
    """
    try:
        return np.histogram(values, bins=n_bins)
    except ValueError:
        return np.histogram(values, bins=n_bins, range=(values.min() - 0.5, values.max() + 0.5))


def histogram_rows(
    key: dict[str, str], edges: Float[np.ndarray, " edge"], counts: Int[np.ndarray, " bin"]
) -> pd.DataFrame:
    """Return a row per bin, with the columns of `key`; the density integrates to 1."""
    return pd.DataFrame(
        {
            **key,
            "bin_left": edges[:-1],
            "bin_right": edges[1:],
            "count": counts,
            "density": counts / counts.sum() / np.diff(edges),
        }
    )
