"""The period of a path that winds about an axis, by turning angle and by spectrum."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Complex, Float, Int

OVERSAMPLING = 8  # of the frequencies between which the peak is looked for


def winding_plane(
    path: Float[np.ndarray, "n 3"], positions: Int[np.ndarray, " n"]
) -> Complex[np.ndarray, " n"]:
    """Return the path seen along the axis of its advance, a complex number per point.

    The axis is the direction of the least-squares slope of the path over the positions: a helix
    advances along the axis alone. Both coordinates are centered. Angles grow with turns to the
    left, seen against the axis.

    Raises:
        ValueError: fewer than 4 points, or a path without a slope.
    """
    axis = _axis(path, positions)
    # Any vector off the axis gives the plane; the least aligned unit vector gives it best.
    first = np.eye(3)[int(np.argmin(np.abs(axis)))]
    first = first - (first @ axis) * axis
    first /= np.linalg.norm(first)
    centered = path - path.mean(axis=0)
    return centered @ first + 1j * (centered @ np.cross(axis, first))


def advance(path: Float[np.ndarray, "n 3"], positions: Int[np.ndarray, " n"]) -> float:
    """Return the correlation of positions with the coordinate along `winding_plane`'s axis.

    In [0, 1]: 1 for the even advance of a helix; near 0 for a path that goes up and down.

    Raises:
        ValueError: as `winding_plane`.
    """
    return float(np.corrcoef(_along(path, positions), positions)[0, 1])


def rank_advance(path: Float[np.ndarray, "n 3"], positions: Int[np.ndarray, " n"]) -> float:
    """Return Spearman's correlation of positions with the coordinate along the axis, in [-1, 1].

    1 for a path that advances along the axis of `winding_plane` at every step, however unevenly.

    Raises:
        ValueError: as `winding_plane`.
    """
    from scipy.stats import spearmanr

    return float(spearmanr(_along(path, positions), positions).statistic)


def _along(path: np.ndarray, positions: np.ndarray) -> Float[np.ndarray, " n"]:
    along: Float[np.ndarray, " n"] = (path - path.mean(axis=0)) @ _axis(path, positions)
    return along


def _axis(path: np.ndarray, positions: np.ndarray) -> np.ndarray:
    if len(path) < 4:
        raise ValueError(f"path: expected at least 4 points, found {len(path)}")
    centered = path - path.mean(axis=0)
    steps = positions - positions.mean()
    slope = steps @ centered
    if not np.linalg.norm(slope) > 1e-12 * np.linalg.norm(steps) * np.linalg.norm(centered):
        raise ValueError("path: does not advance in any direction")
    return slope / np.linalg.norm(slope)


@dataclass(frozen=True)
class Winding:
    """The number of turns of a plane path about its center."""

    n_turns: float
    """Positive to the left."""
    coherence: float
    """Length of the mean of the steps' unit vectors, in [0, 1]: 1 where all angles are equal."""
    period: float
    """Positions per full turn; infinity where the path does not turn."""


def winding(plane: Complex[np.ndarray, " n"], positions: Int[np.ndarray, " n"]) -> Winding:
    """Return the turns of the path about the origin, see `cumulative_turns`."""
    turns = cumulative_turns(plane)
    n_turns = float(turns[-1])
    coherence = float(np.abs(np.exp(2j * np.pi * np.diff(turns)).mean()))
    span = float(positions[-1] - positions[0])
    return Winding(n_turns, coherence, span / abs(n_turns) if n_turns else np.inf)


def cumulative_turns(plane: Complex[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """Return the turns about the origin since the first point; a step is within half a turn."""
    steps = np.angle(plane[1:] * plane[:-1].conj()) / (2 * np.pi)
    return np.append(0, steps.cumsum())


@dataclass(frozen=True)
class SpectralPeak:
    """The strongest oscillation."""

    period: float
    """Positions per turn."""
    power_share: float
    """Share of the power about the mean within one cycle over the path of the peak."""


def spectral_peak(
    plane: Complex[np.ndarray, " n"], positions: Int[np.ndarray, " n"]
) -> SpectralPeak:
    """The peak of the periodogram, both directions of turning together.

    Periods longer than half the path are not looked for: a drift, which any smooth path has, is
    no oscillation.
    """
    span = int(positions[-1] - positions[0]) + 1
    power, frequencies = periodogram(plane, positions)
    allowed = np.abs(frequencies) >= 2 / span
    peak = float(np.abs(frequencies[allowed][np.argmax(power[allowed])]))
    # A real oscillation has its power at the frequency and at its mirror image.
    near = np.abs(np.abs(frequencies) - peak) <= 1 / span
    return SpectralPeak(1 / peak, float(power[near].sum() / power.sum()))


def periodogram(
    plane: Complex[np.ndarray, " n"], positions: Int[np.ndarray, " n"]
) -> tuple[Float[np.ndarray, " frequency"], Float[np.ndarray, " frequency"]]:
    """Power about the mean by frequency, in turns a position from -1/2 to 1/2; Hann window.

    Missing positions are interpolated.
    """
    grid = np.arange(positions[0], positions[-1] + 1)
    signal = np.interp(grid, positions, plane.real) + 1j * np.interp(grid, positions, plane.imag)
    size = OVERSAMPLING * len(signal)
    power = np.abs(np.fft.fft((signal - signal.mean()) * hann(len(signal)), size)) ** 2
    return power, np.fft.fftfreq(size)


def hann(n: int) -> Float[np.ndarray, " n"]:
    """Return the window of `periodogram`, without the zeros at both ends."""
    window: Float[np.ndarray, " n"] = np.hanning(n + 2)[1:-1]
    return window


def dominant_frequency(signal: Float[np.ndarray, " n"]) -> float:
    """Return the nonzero frequency of the plain discrete Fourier transform's largest amplitude.

    As Luisto's notebook `token_helix` computes it: no window, no interpolation between k/n.
    """
    amplitudes = np.abs(np.fft.rfft(signal))[1:]
    return float((1 + int(np.argmax(amplitudes))) / len(signal))
