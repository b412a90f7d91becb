"""Vectors prepared for a map: unchanged, of unit length, or centered and of unit length."""

from typing import Literal

import numpy as np
from jaxtyping import Float

from embspace.geometry.pairs.directions import unit_rows

Preparation = Literal["raw", "unit_length", "centered_unit_length"]


def prepared(x: Float[np.ndarray, "n dim"], preparation: str) -> Float[np.ndarray, "n dim"]:
    """Return vectors unchanged, of unit length, or less the mean and then of unit length."""
    if preparation == "raw":
        return x
    mean = x.mean(axis=0, dtype=np.float64) if preparation == "centered_unit_length" else 0.0
    return unit_rows(x - mean).astype(np.float32)
