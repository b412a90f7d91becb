"""Chooses the pooling to show: of a causal model not its first token."""

import numpy as np
from jaxtyping import Float

from embspace.clouds.pooling import Pooling
from embspace.geometry.pairs.directions import norms

ROUNDING = 1e-5  # of a vector's length: texts in other batches round in another way


def shown_pooling_of(wanted: Pooling, cls: Float[np.ndarray, "layer text dim"]) -> Pooling:
    """Return the wanted pooling, or `mean` in place of `cls` if the first token has no context.

    At layer 0 the first token never has context, and texts with the same first token are equal; if
    all still are equal at the last layer, the token saw nothing on the way. If no two texts begin
    alike, nothing can be told, and `wanted` stays.
    """
    if wanted != "cls" or not cls.shape[1]:
        return wanted
    return "mean" if first_token_sees_no_other(cls) else wanted


def first_token_sees_no_other(cls: Float[np.ndarray, "layer text dim"]) -> bool | None:
    """Return whether texts that begin with the same token are equal there at the last layer, too.

    None if no two texts begin alike.
    """
    if not cls.shape[1]:
        return None
    _, rows, same = np.unique(cls[0], axis=0, return_index=True, return_inverse=True)
    if len(rows) == cls.shape[1]:
        return None
    last = cls[-1].astype(np.float64)
    apart = norms(last - last[rows][same])
    return bool((apart <= ROUNDING * norms(last)).all())
