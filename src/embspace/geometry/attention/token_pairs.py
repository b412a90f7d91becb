"""Attention between related tokens, beside the attention explained by distance."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.geometry.attention.offsets import Maps


class PairMass(NamedTuple):
    """The mass of attention between tokens that belong together."""

    mass: Float[np.ndarray, "*head"]
    elsewhere: Float[np.ndarray, "*head"]
    """The mean mass at the same offsets, from tokens that are in none of the pairs."""


def pair_mass(
    maps: Maps,
    queries: Int[np.ndarray, " pair"],
    keys: Int[np.ndarray, " pair"],
    ordinary: Bool[np.ndarray, " token"],
) -> PairMass:
    """Return the mean mass from queries to their keys, and the mass at the same offset elsewhere.

    Elsewhere are all `ordinary` tokens that are no query here and have an ordinary token at the
    offset. For a head that always looks at the previous token both masses are alike. NaN without a
    pair; `elsewhere` leaves out pairs with an offset found nowhere else.
    """
    if not len(queries):
        nothing = np.full(maps.shape[:-2], np.nan)
        return PairMass(nothing, nothing)
    mass = np.asarray(maps[..., queries, keys].mean(axis=-1, dtype=np.float64))
    other = ordinary.copy()
    other[queries] = False
    parts = [_mean_at(maps, offset, other, ordinary) for offset in (keys - queries).tolist()]
    known = [part for part in parts if part is not None]
    elsewhere = np.asarray(np.mean(known, axis=0)) if known else np.full(mass.shape, np.nan)
    return PairMass(mass, elsewhere)


def _mean_at(
    maps: Maps, offset: int, queries: Bool[np.ndarray, " token"], keys: Bool[np.ndarray, " token"]
) -> Float[np.ndarray, "*head"] | None:
    """Return the mean mass at an offset between tokens of two sets; None if there are none."""
    rows = np.flatnonzero(queries)
    rows = rows[(rows + offset >= 0) & (rows + offset < len(keys))]
    rows = rows[keys[rows + offset]]
    if not len(rows):
        return None
    return np.asarray(maps[..., rows, rows + offset].mean(axis=-1, dtype=np.float64))
