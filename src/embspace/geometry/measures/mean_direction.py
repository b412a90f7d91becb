"""Measures of the family `direction`: how far vectors point the same way.

All take vectors, or their `DirectionSums`.
"""

import numpy as np

from embspace.geometry.measures.declaration import measure
from embspace.geometry.measures.direction_sums import DirectionSums, direction_sums_of
from embspace.geometry.pairs.types import Vectors

# Shorter than this, a mean of vectors of length 1 is zero. Standardizing a coordinate that varies
# by a thousandth of its mean leaves 1e-12 of float64: the mean was zero on one processor alone.
ROUNDING = 1e-9


@measure(
    "direction",
    formula=r"\frac{1}{n(n-1)} \sum_{i \ne j} \frac{x_i \cdot x_j}{|x_i| |x_j|}",
    range=r"[-1/(n-1),\ 1]",
    source="Ethayarajh 2019, section 3.4 (there over sampled pairs)",
    invariant_to=["rotation", "scale", "lengths"],
    bias="None: the mean over pairs of other vectors of the same kind is the same.",
    shared="directions",
)
def mean_cosine(x: Vectors | DirectionSums) -> float:
    """Mean cosine of two different vectors, over all pairs.

    Exact: with unit vectors u, the sum over pairs is |sum u|^2 - n. Vectors of length zero are left
    out; NaN of fewer than two others.

    Examples:
        >>> import numpy as np
        >>> mean_cosine(np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]))
        -0.333...
    """
    n, length = _resultant(x)
    return (length**2 - n) / (n * (n - 1)) if n > 1 else float("nan")


@measure(
    "direction",
    formula=r"\frac{1}{n} \left| \sum_i \frac{x_i}{|x_i|} \right|",
    range=r"[0,\ 1]",
    source="Mardia and Jupp 2000, Directional Statistics, section 9.2",
    invariant_to=["rotation", "scale", "lengths"],
    bias=r"Upwards: of n independent directions it is about \(1/\sqrt n\), not 0.",
    shared="directions",
)
def mean_resultant_length(x: Vectors | DirectionSums) -> float:
    """Length of the mean of the unit vectors.

    The square is (1 + (n - 1) mean cosine) / n. Vectors of length zero are left out; NaN if all
    are.

    Examples:
        >>> import numpy as np
        >>> mean_resultant_length(np.array([[2.0, 0.0], [0.0, 3.0]]))
        0.707...
    """
    n, length = _resultant(x)
    return length / n if n else float("nan")


@measure(
    "direction",
    formula=r"\left| \sum_i \frac{x_i}{|x_i|} \right|",
    range=r"[0,\ n]",
    source="Bonino et al. 2025, The geometry of BERT (arXiv 2502.12033), I_cone",
    invariant_to=["rotation", "scale", "lengths"],
    bias=r"Grows with n: n for parallel vectors, about \(\sqrt n\) for independent ones.",
    shared="directions",
    is_sum=True,
)
def cone_index(x: Vectors | DirectionSums) -> float:
    """Length of the sum of the unit vectors: n times the mean resultant length.

    Compare clouds of equally many vectors. Vectors of length zero add nothing.

    Examples:
        >>> import numpy as np
        >>> cone_index(np.array([[2.0, 0.0], [0.0, 3.0]]))
        1.414...
    """
    return _resultant(x)[1]


@measure(
    "direction",
    formula=r"\frac{1}{n} \sum_i \frac{x_i \cdot m}{|x_i| |m|},\quad m = \frac{1}{n} \sum_i x_i",
    range=r"[-1,\ 1]",
    source="Gao et al. 2019 and Bis et al. 2021 look at this direction",
    invariant_to=["rotation", "scale"],
    bias=r"Upwards: each vector is part of the mean, about \(1/\sqrt n\) of independent ones.",
    shared="directions",
)
def mean_cosine_to_mean(x: Vectors | DirectionSums) -> float:
    """Mean cosine of a vector with the mean of all.

    Long vectors pull the mean, unlike in `mean_cosine`. Vectors of length zero are left out of the
    cosines; NaN if all are, or where the mean is zero.

    Examples:
        >>> import numpy as np
        >>> mean_cosine_to_mean(np.array([[1.0, 0.0], [0.0, 1.0]]))
        0.707...
    """
    sums = direction_sums_of(x)
    length = np.linalg.norm(sums.total)
    if not sums.n_directed or length < ROUNDING * sums.total_norm:
        return float("nan")
    return float(sums.unit_total @ sums.total / (length * sums.n_directed))


def _resultant(x: Vectors | DirectionSums) -> tuple[int, float]:
    """Return the number of vectors with a direction, and the length of the sum of these."""
    sums = direction_sums_of(x)
    return sums.n_directed, float(np.linalg.norm(sums.unit_total))
