"""Places at equal distances, for stages that read a part of a list."""

import numpy as np
from jaxtyping import Int


def evenly(n: int, most: int) -> Int[np.ndarray, " chosen"]:
    """Return up to `most` of the numbers 0 to n - 1 at equal distances, the ends among them."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(int))
