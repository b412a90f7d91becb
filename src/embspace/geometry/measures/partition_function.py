"""Measures of the family `spectrum` by the partition function: I(W) of Arora et al."""

import numpy as np
from jaxtyping import Float

from embspace.geometry.measures.declaration import measure
from embspace.geometry.pairs.types import Vectors

LARGEST_EXPONENT = 600.0  # the sum of so many exponentials is still a number of float64
BLOCK_ROWS = 2048


@measure(
    "spectrum",
    formula=r"\frac{\min_c Z(c)}{\max_c Z(c)},\quad Z(c) = \sum_i e^{c \cdot x_i},\ "
    r"c \in \{\pm \text{eigenvectors of } X^\top X\}",
    range=r"[0,\ 1]",
    source="Mu and Viswanath 2018, equation 5; Arora et al. 2016 for Z",
    invariant_to=["rotation"],
    bias="Downwards: extremes over directions that were chosen by the vectors themselves.",
)
def partition_isotropy(x: Vectors) -> float:
    """Smallest over largest partition function, over both signs of every eigenvector.

    Ambiguous where eigenvalues repeat, for then any turn of the axes is as good. Depends on the
    unit of length: vectors of norm 10 give nearly 0, of norm .1 nearly 1, whatever their
    directions.

    Examples:
        >>> import numpy as np
        >>> round(partition_isotropy(np.array([[1.0, 0.0], [-1.0, 0.0]])), 3)
        0.648
    """
    axes = np.linalg.eigh(x.T @ x)[1]
    if np.square(x).sum(axis=1).max() > LARGEST_EXPONENT**2:
        log_z = _log_z(x @ axes)
        return float(np.exp(log_z.min() - log_z.max()))
    z = np.zeros((2, x.shape[1]))
    for first in range(0, len(x), BLOCK_ROWS):
        exponentials = np.exp(x[first : first + BLOCK_ROWS] @ axes)
        z += exponentials.sum(axis=0), (1 / exponentials).sum(axis=0)
    return float(z.min() / z.max())


@measure(
    "spectrum",
    formula=r"\text{partition isotropy of}\ x_i / \sqrt{\tfrac{1}{n} \sum_j |x_j|^2}",
    range=r"[e^{-2 \sqrt n},\ 1]",
    source="Mu and Viswanath 2018, equation 5, with a unit of length that the cloud sets",
    invariant_to=["rotation", "scale"],
    bias="Downwards, as of `partition_isotropy`.",
)
def partition_isotropy_at_unit_norm(x: Vectors) -> float:
    """`partition_isotropy` of the vectors divided by the root mean square norm.

    Comparable between models and layers of different norms. 1 where all vectors are zero.

    Examples:
        >>> import numpy as np
        >>> round(partition_isotropy_at_unit_norm(np.array([[9.0, 0.0], [-9.0, 0.0]])), 3)
        0.648
    """
    length = np.sqrt(np.square(x).sum(axis=1).mean())
    return float(partition_isotropy(x / length if length else x))


def _log_z(along: Float[np.ndarray, "n axis"]) -> Float[np.ndarray, " direction"]:
    """Logarithms of the partition functions of both signs, whatever the exponents."""
    from scipy.special import logsumexp

    return np.concatenate([logsumexp(along, axis=0), logsumexp(-along, axis=0)])
