"""Makes the start of an iterative layout."""

import numpy as np
from jaxtyping import Float


def jittered_start(
    start: Float[np.ndarray, "n 2"], *, jitter: float, seed: int
) -> Float[np.ndarray, "n 2"]:
    """`start` about the mean, with standard deviation 1 on the widest axis, and Gaussian noise.

    The noise, of standard deviation `jitter`, separates copies, otherwise together for ever, and
    gives width to a cloud that is flat on an axis, or on both.
    """
    centered = start - start.mean(axis=0)
    width = centered.std(axis=0).max()
    noise = np.random.default_rng(seed).normal(scale=jitter, size=start.shape)
    return centered / (width or 1.0) + noise
