"""Clusteredness of attention: does a text fall into two stretches that keep to themselves?"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from embspace.geometry.attention.offsets import Maps, maps_by_offset


class Blocks(NamedTuple):
    """The best cut of a text into two stretches, as a head attends."""

    score: Float[np.ndarray, "*head"]
    """Modularity of that cut: 0 for uniform attention and for a sink, 1/2 for two equal blocks."""
    excess: Float[np.ndarray, "*head"]
    """The score less that of a map of the same offsets: 0 for any pure diagonal."""


def two_blocks(maps: Maps, visible: Bool[np.ndarray, "token token"]) -> Blocks:
    """Return the largest modularity of two stretches, and the excess over the effect of distance.

    Modularity (Newman 2004, "Analysis of weighted networks", equation 5) of the symmetrized map (A
    + A^T) / 2, over all cuts of the tokens into a first and a second stretch. A band along the
    diagonal has as much modularity as two blocks, for near tokens are in one stretch; `excess`
    subtracts the same cut of the map with the mean at every offset. Both are less the modularity of
    uniform attention over the `visible` keys of a query: 0 if all are visible, but a decoder's mask
    alone makes stretches. NaN for fewer than two tokens.
    """
    if maps.shape[-1] < 2:
        nothing = np.full(maps.shape[:-2], np.nan)
        return Blocks(nothing, nothing)
    modularity, by_distance = _modularity_of_cuts(maps), _modularity_of_cuts(maps_by_offset(maps))
    if not visible.all():
        uniform = visible / visible.sum(axis=-1, keepdims=True)
        modularity = modularity - _modularity_of_cuts(uniform)
        by_distance = by_distance - _modularity_of_cuts(maps_by_offset(uniform))
    best = modularity.argmax(axis=-1)[..., None]
    score, expected = (
        np.take_along_axis(cuts, best, axis=-1)[..., 0] for cuts in (modularity, by_distance)
    )
    return Blocks(np.asarray(score), np.asarray(score - expected))


def _modularity_of_cuts(maps: Maps) -> Float[np.ndarray, "*head cut"]:
    """Return the modularity of every cut after 1, 2, ..., n - 1 tokens."""
    maps = maps.astype(np.float64, copy=False)
    total = maps.sum(axis=(-2, -1))[..., None]
    rows = maps.sum(axis=-1).cumsum(axis=-1)[..., :-1]
    columns = maps.sum(axis=-2).cumsum(axis=-1)[..., :-1]
    corner = np.diagonal(maps.cumsum(axis=-1).cumsum(axis=-2), axis1=-2, axis2=-1)[..., :-1]
    # Both stretches: the corner, and all that is neither in its rows nor in its columns.
    within = 2 * corner + total - rows - columns
    degree = (rows + columns) / 2 / total
    return np.asarray(within / total - degree**2 - (1 - degree) ** 2)
