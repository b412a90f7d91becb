"""Measures the cosines of positions by their offset: profile, smoothness, waves."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int

from embspace.geometry.pairs.directions import cosine_matrix
from embspace.geometry.positional.position_properties import (
    PROPERTIES,
    ByOffset,
    cosines_by_offset,
    properties_by_window,
    translation_invariance,
)
from embspace.geometry.positional.waves import (
    both_ways,
    falling_wave,
    pattern_share,
    profile_gain,
)

NAMES = ["measure", "largest_offset"]


def cosine_measures(
    x: Float[np.ndarray, "n dim"],
    positions: Int[np.ndarray, " n"],
    *,
    largest_offsets: Sequence[int],
    wave_offsets: int,
    n_first: int,
) -> dict[tuple[str, ...], float]:
    """Return the measures of the cosines, by name and largest offset.

    `PROPERTIES` for each of `largest_offsets` up to `wave_offsets`. For `wave_offsets`, or half of
    a shorter table: fall and wave of the mean cosine by offset, the pattern of all cosines, and for
    the first `n_first` positions translation invariance, profile gain, the mean cosine with earlier
    positions, and by how much the cosine with later positions exceeds this mean. `x` must have no
    vector of length zero.
    """
    cosines = cosine_matrix(x)
    # At larger ones few pairs are left, and monotonicity would take most of the time.
    windows = [largest for largest in largest_offsets if largest <= wave_offsets]
    properties: Any = properties_by_window(cosines, positions, windows) if windows else []
    measures: dict[tuple[str, ...], float] = {
        (name, str(largest)): float(value)
        for largest, values in zip(windows, properties, strict=True)
        for name, value in zip(PROPERTIES, values, strict=True)
    }
    by_offset = cosines_by_offset(cosines, positions, wave_offsets)
    reach = min(wave_offsets, by_offset.shape[1] // 2)
    first = positions[:n_first]
    before, after = both_ways(cosines, positions, first)
    values = _offset_measures(by_offset[:reach]) | {
        "first_translation_invariance": translation_invariance(by_offset[:reach, first]),
        "first_profile_gain": profile_gain(by_offset[:reach], first),
        "first_forward_excess": after - before,
        "first_backward_cosine": before,
    }
    return measures | {(name, str(wave_offsets)): value for name, value in values.items()}


def _offset_measures(by_offset: ByOffset) -> dict[str, float]:
    """Return fall and wave of the mean cosine by offset, and the pattern of all cosines."""
    present = np.isfinite(by_offset)
    some = present.any(axis=1)
    profile = np.where(present, by_offset, 0).sum(axis=1)[some] / present.sum(axis=1)[some]
    return {
        "fall": float(profile[0] - profile[-1]) if len(profile) else np.nan,
        "wave_amplitude": falling_wave(profile).amplitude if len(profile) > 3 else np.nan,
        "pattern_share": pattern_share(by_offset),
    }


def offset_profile(
    cosines: Float[np.ndarray, "n n"],
    positions: Int[np.ndarray, " n"],
    chosen: Bool[np.ndarray, " n"],
) -> pd.DataFrame:
    """Return a row per offset, up to the last less the first position: the cosines at this offset.

    Among `chosen` positions; moments are those of the population. An offset may have no pair.
    """
    largest_offset = int(np.ptp(positions))
    rows = np.flatnonzero(chosen)
    by_offset = cosines_by_offset(cosines[np.ix_(rows, rows)], positions[rows], largest_offset)
    values = pd.DataFrame(by_offset)
    return pd.DataFrame(
        {
            "offset": np.arange(1, largest_offset + 1),
            "n_pairs": values.count(axis=1),
            "mean": values.mean(axis=1),
            "standard_deviation": values.std(axis=1, ddof=0),
            "minimum": values.min(axis=1),
            "maximum": values.max(axis=1),
        }
    )
