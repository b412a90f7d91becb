"""Attention by the distance from the query to the key, and maps that depend on nothing else."""

import numpy as np
from jaxtyping import Float

Maps = Float[np.ndarray, "*head token token"]
"""Attention maps: row i says how query i divides its attention, 1 in all, among the keys."""


def offset_sums(maps: Maps) -> Float[np.ndarray, "*head offset"]:
    """Return the mass at each offset key - query, from -(n - 1) to n - 1, summed over queries."""
    n = maps.shape[-1]
    skewed = np.zeros((*maps.shape[:-2], n, 2 * n), dtype=np.float64)
    # One column more than there are offsets: read with one less, row i is shifted by i.
    skewed[..., :n] = maps[..., ::-1]
    flat = skewed.reshape(*maps.shape[:-2], 2 * n * n)[..., : n * (2 * n - 1)]
    sums = flat.reshape(*maps.shape[:-2], n, 2 * n - 1).sum(axis=-2)
    return np.asarray(sums[..., ::-1])


def offset_profile(maps: Maps) -> Float[np.ndarray, "*head offset"]:
    """Return the mean mass at every offset, from -(n - 1) to n - 1.

    D(k) is the mean of A[i, i + k] over the queries i with a token at i + k.
    """
    n = maps.shape[-1]
    return np.asarray(offset_sums(maps) / (n - np.abs(np.arange(1 - n, n))))


def maps_by_offset(maps: Maps) -> Maps:
    """Return maps with entries replaced by the mean at the same offset."""
    n = maps.shape[-1]
    offset = np.arange(n) - np.arange(n)[:, None]
    return np.asarray(offset_profile(maps)[..., offset + n - 1])
