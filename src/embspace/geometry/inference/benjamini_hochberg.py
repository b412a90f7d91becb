"""Adjusts p-values of many texts, so that few of those called outlying are not."""

import numpy as np
from jaxtyping import Float


def benjamini_hochberg(p_values: Float[np.ndarray, " test"]) -> Float[np.ndarray, " test"]:
    """Return p-values whose false discovery rate is at most alpha if those up to alpha are chosen.

    The i-th smallest of n times n / i, none above the next one (Benjamini & Hochberg 1995,
    "Controlling the false discovery rate"). NaN is no test, and stays.
    """
    made = np.full(len(p_values), np.nan)
    tested = np.flatnonzero(~np.isnan(p_values))
    order = tested[np.argsort(-p_values[tested], kind="stable")]
    scaled = p_values[order] * len(order) / np.arange(len(order), 0, -1)
    made[order] = np.minimum(np.minimum.accumulate(scaled), 1)
    return made
