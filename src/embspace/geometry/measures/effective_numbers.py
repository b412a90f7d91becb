"""Computes the effective number of weights."""

import numpy as np
from jaxtyping import Float


def effective_number(weights: Float[np.ndarray, " n"]) -> float:
    """Return (sum w)^2 / sum w^2: n for n equal weights, 1 for one that outweighs all others.

    Of weights that are not negative; NaN where all are 0. Of the variances along principal axes it
    is the participation ratio, of powers at frequencies the number of frequencies.
    """
    total = weights.sum()
    return float(total**2 / np.square(weights).sum()) if total > 0 else float("nan")
