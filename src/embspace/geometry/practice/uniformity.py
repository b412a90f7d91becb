"""Alignment of positive pairs and uniformity on the sphere, as papers on sentence vectors state.

Wang & Isola (2020), "Understanding contrastive representation learning through alignment and
uniformity on the hypersphere", arXiv:2005.10242.
"""

import numpy as np
from jaxtyping import Float

from embspace.geometry.pairs.directions import unit_rows
from embspace.geometry.pairs.door import takes_arrays

BLOCK = 512  # rows of pairs in memory at once


@takes_arrays(invariant_to=["rotation", "scale"])
def uniformity(x: Float[np.ndarray, "n dim"], *, t: float = 2.0) -> float:
    """Return log of the mean of exp(-t |x - y|^2) over all pairs of different rows of unit length.

    From -4 t to 0, with 0 for one direction; lower is more uniform. Directions uniform on the
    sphere have a value near -2 t in many dimensions. Exact: no pairs are drawn. NaN with fewer than
    two rows; rows of length zero are left out.
    """
    unit = unit_rows(np.asarray(x, dtype=np.float64)[np.any(x, axis=1)])
    n = len(unit)
    if n < 2:
        return float("nan")
    total = 0.0
    for first in range(0, n, BLOCK):
        # |x - y|^2 = 2 - 2 cosine; a row with itself is 1, taken off below.
        cosine = (unit[first : first + BLOCK] @ unit.T).clip(-1, 1)
        total += float(np.exp(2 * t * (cosine - 1)).sum())
    return float(np.log((total - n) / (n * (n - 1))))


@takes_arrays(invariant_to=["scale"])
def positive_pair_alignment(
    x: Float[np.ndarray, "pair dim"], y: Float[np.ndarray, "pair dim"], *, alpha: float = 2.0
) -> float:
    """Return the mean of |x - y|^alpha over positive pairs of unit length, row by row.

    From 0, for equal directions, to 2^alpha, for opposite directions; lower is better aligned. With
    alpha = 2, equal to 2 - 2 times the mean cosine. NaN without a pair; a pair with a row of length
    zero is left out.
    """
    kept = np.any(x, axis=1) & np.any(y, axis=1)
    if not kept.any():
        return float("nan")
    one, other = (unit_rows(np.asarray(side, dtype=np.float64)[kept]) for side in (x, y))
    return float((np.linalg.norm(one - other, axis=1) ** alpha).mean())
