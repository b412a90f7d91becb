"""Corrects p-values for their number: a single small value among many is no finding."""

import numpy as np
from jaxtyping import Float


def holm_p_values(p_values: Float[np.ndarray, " test"]) -> Float[np.ndarray, " test"]:
    """Return corrected p-values: if no effect is real, any is at most alpha with chance alpha.

    The smallest times the number of tests, the next times one less, and so on, none below the one
    before and none above 1 (Holm 1979, "A simple sequentially rejective multiple test procedure").
    NaN is no test, and stays.
    """
    made = np.full(len(p_values), np.nan)
    tested = np.flatnonzero(~np.isnan(p_values))
    order = tested[np.argsort(p_values[tested], kind="stable")]
    scaled = p_values[order] * np.arange(len(order), 0, -1)
    made[order] = np.minimum(np.maximum.accumulate(scaled), 1)
    return made
