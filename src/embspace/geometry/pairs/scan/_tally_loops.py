"""Compiled loops that count a block of pairs.

Functions that call each other are in the same file: numba's cache on disk notices changes only in
the file of the outermost function. Small functions on a row: LLVM vectorizes all but `_count`,
which takes the most time.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Float, Int
from numba import njit

from embspace.geometry.pairs.scan._rows import Rows

# Sums may be reordered and nothing is NaN, so that LLVM can vectorize. Neither reciprocals nor
# approximate functions are allowed: a square root stays correctly rounded.
VECTORISED = {"reassoc", "contract", "nnan", "nsz"}
NEAR = 2.0**-10  # squared distance over the sum of the squared norms; see `_distances`


class Tally(NamedTuple):
    """The totals of a block in each metric, in the order of `_blocks.METRICS`."""

    counts: Int[np.ndarray, "metric n_bins"]
    """Int32, added to the counts of other blocks."""
    power_sums: Float[np.ndarray, "metric 4"]
    lowest: Float[np.ndarray, "metric column"]
    highest: Float[np.ndarray, "metric column"]

    @classmethod
    def on(cls, counts: Int[np.ndarray, "metric n_bins"], n_columns: int) -> "Tally":
        """No pair yet, but for the pairs in `counts`."""
        infinities = np.full((3, n_columns), np.inf, dtype=np.float32)
        return cls(counts, np.zeros((3, 4)), infinities, -infinities)


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
@njit
def _widen(values, lowest, highest):
    # Column by column: LLVM does not vectorize the minimum of one row of floats.
    for j in range(values.size):
        lowest[j] = min(lowest[j], values[j])
        highest[j] = max(highest[j], values[j])


@no_type_check
@njit(fastmath=VECTORISED)
def _bin_and_add(values, low, bins_per_unit, n_bins, center, bins, sums):
    """Fill `bins`, add powers about the center; return the lowest and the highest bin."""
    lowest, highest = np.int32(n_bins), np.int32(-1)
    first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
    for j in range(values.size):
        value = np.float64(values[j])
        bin_ = np.int32((value - low) * bins_per_unit)
        bin_ = min(max(bin_, np.int32(0)), np.int32(n_bins - 1))
        bins[j] = bin_
        lowest, highest = min(lowest, bin_), max(highest, bin_)
        value -= center
        square = value * value
        first += value
        second += square
        third += value * square
        fourth += square * square
    sums[0] += first
    sums[1] += second
    sums[2] += third
    sums[3] += fourth
    return lowest, highest


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
    centers: Float[np.ndarray, " metric"],
    wanted: Bool[np.ndarray, " metric"],
    tally: Tally,
) -> None:
    """Add the pairs of a block to `tally`, and replace `dots` by cosines.

    A diagonal block has pairs only above the diagonal. `limits` are the outer edges of the bins,
    `centers` the origins of powers. Metrics outside `wanted` stay unchanged in `tally`.
    """
    n_bins = tally.counts.shape[1]
    per_unit = n_bins / (limits[:, 1] - limits[:, 0])
    distances = np.empty(dots.shape[1], np.float32)
    bins = np.empty(dots.shape[1], np.uint32)
    reached = np.empty((3, 2), np.int32)
    reached[:, 0], reached[:, 1] = n_bins, -1
    for row in range(dots.shape[0]):
        start = row + 1 if diagonal else 0
        values, squared_norms = distances[start:], right.squared_norms[start:]
        if wanted[0] and _distances(
            dots[row, start:], left.squared_norms[row], squared_norms, values
        ):
            _mend_near_distances(row, left, right, start, values)
        for metric in range(3):
            if metric > 0:
                values = dots[row, start:]
            if metric == 2:
                _to_cosines(values, left.inverse_norms[row], right.inverse_norms[start:])
            if not wanted[metric]:
                continue
            low, sums = limits[metric, 0], tally.power_sums[metric]
            lowest, highest = _bin_and_add(
                values, low, per_unit[metric], n_bins, centers[metric], bins[start:], sums
            )
            if lowest <= reached[metric, 0] or highest >= reached[metric, 1]:
                # Few rows hold a new extreme: it would lie in the bin of the last one or beyond.
                _widen(values, tally.lowest[metric, start:], tally.highest[metric, start:])
                reached[metric, 0] = min(reached[metric, 0], lowest)
                reached[metric, 1] = max(reached[metric, 1], highest)
            _count(bins[start:], tally.counts[metric])


@no_type_check
@njit
def _ordered(pattern):
    """Bits of a float as an integer of the same order, and back: LLVM vectorizes its maximum."""
    return pattern ^ ((pattern >> np.int32(31)) & np.int32(0x7FFFFFFF))


@no_type_check
@njit
def _largest(patterns):
    largest = np.int32(-(2**31))
    for j in range(patterns.size):
        largest = max(largest, _ordered(patterns[j]))
    return _ordered(largest)


@no_type_check
@njit
def _raise(values, largest):
    for j in range(values.size):
        largest[j] = max(largest[j], values[j])


@no_type_check
@njit(nogil=True, cache=True)
def raise_cosines(
    cosines: Float[np.ndarray, "row column"],
    diagonal: bool,
    row_largest: Float[np.ndarray, " row"],
    column_largest: Float[np.ndarray, " column"],
) -> None:
    """Find the largest cosine in every row and every column of a block.

    Present values stay where a diagonal block has no pair, and may not be larger elsewhere.
    """
    patterns, patterns_of_rows = cosines.view(np.int32), row_largest.view(np.int32)
    for row in range(cosines.shape[0]):
        start = row + 1 if diagonal else 0
        if start < cosines.shape[1]:
            patterns_of_rows[row] = _largest(patterns[row, start:])
        _raise(cosines[row, start:], column_largest[start:])
