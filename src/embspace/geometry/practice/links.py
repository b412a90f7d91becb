"""What a text adds to the shares of texts whose neighbor it is: for intervals over documents."""

import numpy as np
from jaxtyping import Bool, Float, Int


def shares_given(
    nearest: Int[np.ndarray, "row k"], holds: Bool[np.ndarray, "row k"], n: int
) -> Float[np.ndarray, " text"]:
    """Return what each of `n` texts adds to the shares of rows, beyond their further neighbors.

    A row's share is the part of its links that holds: neighbors that are kept, or that have its
    label. The mean of shares varies with texts as rows and as neighbors, so that the variance of
    shares alone is too small: one label decides many links, and two texts near one another keep
    or lose both. Share and this together have the influence of a text (jackknife: its links go,
    and those that point to it are replaced by links that hold as often as the row's). 0 in sum.
    Links of two rows count twice, so intervals are too wide where texts have no effect of their
    own: 1.3 to 1.4 times in Gaussian clouds of 32 dimensions, by 10 neighbors kept of 8 of them.
    """
    given = np.zeros(n)
    np.add.at(given, nearest, (holds - holds.mean(axis=1, keepdims=True)) / nearest.shape[1])
    return given
