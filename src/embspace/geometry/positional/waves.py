"""Waves and other patterns in the cosines of positions, beyond a fall with the distance."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.positional.helix import hann, periodogram
from embspace.geometry.positional.position_properties import (
    ByOffset,
    Cosines,
    PositionNumbers,
    translation_invariance,
)
from embspace.geometry.positional.smooth_nulls import falling_fit

LEAST_CYCLES = 2  # over the curve: fewer are a bend
ROUNDING = 1e-12


@dataclass(frozen=True)
class Wave:
    """The strongest wave of a curve."""

    period: float
    """In steps of the curve; NaN where the curve only falls."""
    amplitude: float
    """In units of the curve: half the height of a sine from trough to crest."""


def falling_wave(curve: Float[np.ndarray, " n"]) -> Wave:
    """Return the strongest wave of a curve about the nearest curve that never rises.

    The peak of the periodogram of the deviations from `falling_fit`, among waves with two cycles or
    more. The amplitude is 0 for a curve that never rises. The amplitude is no share of the curve's
    power: in weak noise, a single wave has a large share.
    """
    n = len(curve)
    rest = curve - falling_fit(curve, np.ones(n))
    if np.abs(rest).max() <= ROUNDING:
        return Wave(np.nan, 0.0)
    power, frequencies = periodogram(rest.astype(np.complex128), np.arange(n))
    allowed = np.abs(frequencies) >= LEAST_CYCLES / n
    highest = np.argmax(np.where(allowed, power, 0))
    # A sine of amplitude a has half of the window's sum times a at each of its two frequencies.
    amplitude = 2 * np.sqrt(power[highest]) / hann(n).sum()
    return Wave(1 / abs(float(frequencies[highest])), float(amplitude))


def pattern_share(by_offset: ByOffset) -> float:
    """Return the share of the cosines' variance explained by the offset, but not by a fall.

    `translation_invariance` less the share explained by the nearest never-rising curve of the
    offset, in [0, 1]. 0 where cosines only fall; a pattern brings farther positions nearer again.
    NaN if all cosines are equal.
    """
    present = np.isfinite(by_offset)
    n_pairs = present.sum(axis=1)
    some = n_pairs > 0
    if not some.any():
        return np.nan
    means = np.where(present, by_offset, 0).sum(axis=1)[some] / n_pairs[some]
    total = np.square(by_offset[present] - by_offset[present].mean()).sum()
    if total <= n_pairs.sum() * ROUNDING**2:
        return np.nan
    rest = means - falling_fit(means, n_pairs[some].astype(np.float64))
    return float((n_pairs[some] * np.square(rest)).sum() / total)


def profile_gain(by_offset: ByOffset, rows: PositionNumbers) -> float:
    """Return the variance of some rows' cosines explained by offset, less the part by place.

    For the cosines of `rows` with the next positions: the share of variance explained by the
    offset, less the share explained by the number of the second position. In [-1, 1]. Above 0 if
    rows have one profile, shifted with the row. Neighboring rows of any smooth table are alike at
    every place, and the offset's share alone is then large, too.
    """
    chosen = by_offset[:, rows]
    largest, n = chosen.shape
    by_place = np.full((int(rows.max(initial=0)) + largest + 1, n), np.nan)
    for column, row in enumerate(rows):
        by_place[row + 1 : row + 1 + largest, column] = chosen[:, column]
    return translation_invariance(chosen) - translation_invariance(by_place)


def both_ways(
    cosines: Cosines, positions: PositionNumbers, rows: Int[np.ndarray, " row"]
) -> tuple[float, float]:
    """Return the mean cosine of rows with positions before, and with positions as far after.

    A position before a row counts if the position as far after exists. NaN where no row has both.
    `rows` are numbers of positions.
    """
    place = {int(number): index for index, number in enumerate(positions)}
    pairs = [
        (cosines[place[row], place[before]], cosines[place[row], place[2 * row - before]])
        for row in rows.tolist()
        for before in place
        if before < row and 2 * row - before in place
    ]
    before, after = np.nanmean(pairs, axis=0) if pairs else (np.nan, np.nan)
    return float(before), float(after)
