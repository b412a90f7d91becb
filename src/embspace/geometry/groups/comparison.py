"""Comparing two samples by rank alone."""

import numpy as np
from jaxtyping import Float


def probability_of_larger(
    x: Float[np.ndarray, "*stack n"], y: Float[np.ndarray, "*stack m"]
) -> Float[np.ndarray, "*stack"]:
    """Probability that one of `x` is larger than one of `y`; a tie counts half. In [0, 1].

    The area under the ROC curve of telling `x` from `y`, and Mann and Whitney's (1947) U over
    its largest value. 0.5 if the two are alike; no scale is assumed. NaN if one is empty, or has
    a value that is not defined.
    """
    from scipy.stats import rankdata

    n, m = x.shape[-1], y.shape[-1]
    if not n or not m:
        return np.full(x.shape[:-1], np.nan)
    ranks = rankdata(np.concatenate([x, y], axis=-1), axis=-1)
    return np.asarray((ranks[..., :n].sum(axis=-1) - n * (n + 1) / 2) / (n * m))
