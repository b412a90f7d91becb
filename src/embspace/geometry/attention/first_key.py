"""Leaves the first token out of attention maps, which many heads use as a sink."""

import numpy as np
from jaxtyping import Float

from embspace.geometry.attention.offsets import Maps


def without_first_key(maps: Maps) -> Float[np.ndarray, "*head token-1 token-1"]:
    """Return the maps of the tokens after the first, with rows rescaled to sum 1.

    Attention to the first token is backward for all later tokens, whatever a head looks for (sinks:
    Xiao et al. 2023, arXiv:2309.17453). The first query goes too: without the first key, its
    attention would be all forward, and for a decoder empty. The row of a query with all attention
    on the first key is 0.
    """
    others = maps[..., 1:, 1:]
    left = others.sum(axis=-1, keepdims=True, dtype=np.float64)
    shares = np.divide(others, left, out=np.zeros(others.shape), where=left > 0)
    return np.asarray(shares.astype(maps.dtype))
