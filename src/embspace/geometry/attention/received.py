"""Computes the attention received by every token of a text, its own included."""

import numpy as np
from jaxtyping import Bool, Float

from embspace.geometry.attention.offsets import Maps


def received_attention(
    maps: Maps, kept: Bool[np.ndarray, " token"]
) -> Float[np.ndarray, "*head kept"]:
    """Return the attention received by every kept token, relative to uniform attention.

    Tokens that are not kept, such as special tokens, are neither queries nor keys: rows sum to 1
    over kept keys. A query without attention on kept keys gives nothing. Uniform attention is over
    the keys visible to any head: a decoder's first tokens gain nothing from being seen by all. For
    an encoder the mean over tokens is 1, or less where queries give nothing.
    """
    among = maps[..., kept, :][..., kept].astype(np.float64)
    left = among.sum(axis=-1, keepdims=True)
    shares = np.divide(among, left, out=np.zeros_like(among), where=left > 0)
    visible = (among > 0).reshape(-1, *among.shape[-2:]).any(axis=0)
    uniform = visible / np.maximum(visible.sum(axis=-1, keepdims=True), 1)
    expected = uniform.sum(axis=-2)
    received = shares.sum(axis=-2)
    return np.divide(received, expected, out=np.zeros_like(received), where=expected > 0)
