"""Tells whether one layer has the longest step, by more than at random weights."""

import numpy as np
import pandas as pd

TIMES = 2.0  # the lead at random weights that a lead must surpass


def lead_of(sizes: pd.Series) -> float:
    """Return how far the largest size lies above the median of the others, as a share."""
    others = sizes.drop(sizes.idxmax())
    return float(sizes.max() / others.median() - 1) if len(others) else np.nan


def stands_out(sizes: pd.Series, at_random: pd.Series) -> bool:
    """Return whether the lead of the largest size is more than `TIMES` that at random weights.

    Sizes at random weights, of the same layers, may be unknown, and then decide nothing.
    """
    if at_random.isna().any():
        return True
    return lead_of(sizes) > TIMES * lead_of(at_random)
