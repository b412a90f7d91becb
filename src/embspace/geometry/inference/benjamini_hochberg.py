"""Adjusts p-values of many tests for the false discovery rate."""

import numpy as np
from jaxtyping import Float


def benjamini_hochberg(p_values: Float[np.ndarray, " test"]) -> Float[np.ndarray, " test"]:
    """Return p-values; choosing all up to alpha has a false discovery rate of at most alpha.

    The i-th smallest of n times n / i, none above the next one (Benjamini & Hochberg 1995,
    "Controlling the false discovery rate"). NaN is no test, and stays.
    """
    made = np.full(len(p_values), np.nan)
    tested = np.flatnonzero(~np.isnan(p_values))
    order = tested[np.argsort(-p_values[tested], kind="stable")]
    scaled = p_values[order] * len(order) / np.arange(len(order), 0, -1)
    made[order] = np.minimum(np.minimum.accumulate(scaled), 1)
    return made
