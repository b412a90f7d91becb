"""Computes the effective number of weights."""

import numpy as np
from jaxtyping import Float

from embspace.geometry.pairs.door import takes_arrays


@takes_arrays(numbers="finite", at_least=0, invariant_to=["scale"])
def effective_number(weights: Float[np.ndarray, " n"]) -> float:
    """Return (sum w)^2 / sum w^2: n for n equal weights, 1 for a single dominant weight.

    Weights are not negative; NaN where all are 0. For the variances along principal axes this is
    the participation ratio, for powers at frequencies the number of frequencies.
    """
    largest = weights.max(initial=0)
    if not largest > 0:
        return float("nan")
    shares = weights / largest  # whose squares stay in float64
    return float(shares.sum() ** 2 / np.square(shares).sum())
