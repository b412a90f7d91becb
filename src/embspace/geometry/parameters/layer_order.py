"""Measures whether matched layers stand in the same order in both models."""

from itertools import combinations

import numpy as np
from jaxtyping import Int


def share_in_order(order: Int[np.ndarray, " layer"]) -> float:
    """Return the share of pairs of matched layers whose matches stand in the same order.

    `order` has the number of every layer's match, -1 without a match. In [0, 1]: 1/2 at random, 1
    if the deeper of two layers always has the deeper match. NaN with fewer than two matches.
    """
    matched = order[order >= 0]
    pairs = [bool(one < other) for one, other in combinations(matched, 2)]
    return float(np.mean(pairs)) if pairs else float("nan")
