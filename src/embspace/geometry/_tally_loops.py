"""Compiled loops that count a block of pairs.

Functions that call one another stay in one file: numba's cache on disk takes notice of a change
only in the file of the outermost. Small functions on one row each: LLVM vectorises all of them
but `_count`, which takes the most time.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Float, Int
from numba import njit

from embspace.geometry._rows import Rows

# Sums may be reordered and nothing is NaN, so that LLVM can vectorise. Neither reciprocals nor
# approximate functions are allowed: a square root stays correctly rounded.
VECTORISED = {"reassoc", "contract", "nnan", "nsz"}
NEAR = 2.0**-10  # squared distance over the sum of the squared norms; see `_distances`


class Tally(NamedTuple):
    """What a block adds to each metric, in the order of `_blocks.METRICS`."""

    counts: Int[np.ndarray, "metric n_bins"]
    power_sums: Float[np.ndarray, "metric 4"]
    lowest: Float[np.ndarray, "metric column"]
    highest: Float[np.ndarray, "metric column"]

    @classmethod
    def empty(cls, n_bins: int, n_columns: int) -> "Tally":
        """No pair yet."""
        counts, power_sums = np.zeros((3, n_bins), dtype=np.int32), np.zeros((3, 4))
        infinities = np.full((3, n_columns), np.inf, dtype=np.float32)
        return cls(counts, power_sums, infinities, -infinities)


@no_type_check
@njit(fastmath=VECTORISED)
def _to_cosines(dots, inverse_norm, inverse_norms):
    for j in range(dots.size):
        dots[j] *= inverse_norm * inverse_norms[j]


@no_type_check
@njit(fastmath=VECTORISED)
def _distances(dots, squared_norm, squared_norms, distances):
    """Fill `distances`; return how many are too small for this formula.

    The subtraction leaves an error of some 1e-7 of the squared norms. In 16,384 bins that is a
    fiftieth of a bin at the limit of `NEAR`, but four bins for a vector and its copy.
    """
    n_near = 0
    for j in range(dots.size):
        squares = squared_norm + squared_norms[j]
        squared = squares - np.float32(2) * dots[j]
        distances[j] = np.sqrt(max(squared, np.float32(0)))
        n_near += distances[j] * distances[j] < np.float32(NEAR) * squares
    return n_near


@no_type_check
@njit(fastmath=VECTORISED)
def _direct_distance(a, b):
    total = 0.0
    for k in range(a.size):
        difference = np.float64(a[k]) - np.float64(b[k])
        total += difference * difference
    return np.sqrt(total)


@no_type_check
@njit
def _mend_near_distances(row, left, right, start, distances):
    for j in range(distances.size):
        squares = left.squared_norms[row] + right.squared_norms[start + j]
        if distances[j] * distances[j] < np.float32(NEAR) * squares:
            distances[j] = _direct_distance(left.vectors[row], right.vectors[start + j])


@no_type_check
@njit(fastmath=VECTORISED)
def _add_powers(values, sums):
    first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
    for j in range(values.size):
        value = np.float64(values[j])
        square = value * value
        first += value
        second += square
        third += value * square
        fourth += square * square
    sums[0] += first
    sums[1] += second
    sums[2] += third
    sums[3] += fourth


@no_type_check
@njit
def _widen(values, lowest, highest):
    # Column by column: LLVM does not vectorise the minimum of one row of floats.
    for j in range(values.size):
        lowest[j] = min(lowest[j], values[j])
        highest[j] = max(highest[j], values[j])


@no_type_check
@njit(fastmath=VECTORISED)
def _find_bins(values, low, bins_per_unit, n_bins, bins):
    for j in range(values.size):
        bin_ = np.int32((np.float64(values[j]) - low) * bins_per_unit)
        bins[j] = min(max(bin_, np.int32(0)), np.int32(n_bins - 1))


@no_type_check
@njit
def _count(bins, counts):
    for j in range(bins.size):
        counts[bins[j]] += 1


@no_type_check
@njit(nogil=True, cache=True)
def tally_block(
    dots: Float[np.ndarray, "row column"],
    left: Rows,
    right: Rows,
    diagonal: bool,
    limits: Float[np.ndarray, "metric 2"],
    tally: Tally,
) -> None:
    """Add the pairs of a block to `tally`, and put their cosines in the place of `dots`.

    A diagonal block has pairs above its diagonal only. `limits` are the outer edges of the bins.
    """
    n_bins = tally.counts.shape[1]
    per_unit = n_bins / (limits[:, 1] - limits[:, 0])
    distances = np.empty(dots.shape[1], np.float32)
    bins = np.empty(dots.shape[1], np.uint32)
    for row in range(dots.shape[0]):
        start = row + 1 if diagonal else 0
        values, squared_norms = distances[start:], right.squared_norms[start:]
        if _distances(dots[row, start:], left.squared_norms[row], squared_norms, values):
            _mend_near_distances(row, left, right, start, values)
        for metric in range(3):
            if metric > 0:
                values = dots[row, start:]
            if metric == 2:
                _to_cosines(values, left.inverse_norms[row], right.inverse_norms[start:])
            _add_powers(values, tally.power_sums[metric])
            _widen(values, tally.lowest[metric, start:], tally.highest[metric, start:])
            _find_bins(values, limits[metric, 0], per_unit[metric], n_bins, bins[start:])
            _count(bins[start:], tally.counts[metric])
