"""Compiled loops over the pairs of vectors of different groups, a row of pairs at a time.

Sums keep their order: the same numbers on any number of threads.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Float, Int
from numba import njit

ROUNDING = 1e-14  # of squared lengths in float64; a squared distance under it is that of copies


class Side(NamedTuple):
    """One side of the pairs, with numbers by vector.

    With the centered product c of a pair, the dot product is the sum of both `dot_shift` and c, the
    squared distance the sum of both `squared` less 2 c.
    """

    dot_shift: Float[np.ndarray, " n"]
    squared: Float[np.ndarray, " n"]
    inverse_norm: Float[np.ndarray, " n"]
    """0 for a vector of length 0, which has no cosine."""
    centered_inverse_norm: Float[np.ndarray, " n"]
    group: Int[np.ndarray, " n"]
    """Equal numbers on both sides are the same group."""
    place: Int[np.ndarray, " n"]
    """Place of the group's unit in the sums."""


class Tally(NamedTuple):
    """The totals of all pairs by quantity: distance, dot product, cosine, centered cosine."""

    limits: Float[np.ndarray, "quantity 2"]
    """Outer edges of the bins."""
    counts: Int[np.ndarray, "quantity bin"]
    power_sums: Float[np.ndarray, "quantity 4"]
    """About the middle of the limits: about 0 a narrow cloud would leave rounding alone."""
    extremes: Float[np.ndarray, "quantity 2"]
    sums: Float[np.ndarray, "place_x place_y total"]
    """By pair of units, in the order of `group_pairs.TOTALS`."""


@no_type_check
@njit
def _distances(products, squared, others, values, sums, places):
    for j in range(products.size):
        square = squared + others[j] - 2 * products[j]
        if square < ROUNDING * (abs(squared) + abs(others[j])):
            square = 0.0
        values[j] = np.sqrt(square)
        sums[places[j], 0] += 1
        sums[places[j], 1] += values[j]


@no_type_check
@njit
def _dot_products(products, shift, shifts, values, sums, places):
    for j in range(products.size):
        values[j] = shift + shifts[j] + products[j]
        sums[places[j], 2] += values[j]


@no_type_check
@njit
def _cosines(products, inverse, inverses, values, sums, places):
    """Fill in the defined cosines; return the number of defined cosines."""
    n = 0
    for j in range(products.size):
        if inverse * inverses[j] > 0:
            values[n] = min(max(products[j] * inverse * inverses[j], -1.0), 1.0)
            sums[places[j], 0] += 1
            sums[places[j], 1] += values[n]
            sums[places[j], 2] += values[n] <= 0
            n += 1
    return n


@no_type_check
@njit
def _count(values, low, high, counts, power_sums, extremes):
    per_unit, middle = counts.size / (high - low), (low + high) / 2
    last = counts.size - 1
    first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
    lowest, highest = extremes
    for j in range(values.size):
        value = values[j]
        counts[min(max(int((value - low) * per_unit), 0), last)] += 1
        shifted = value - middle
        square = shifted * shifted
        first += shifted
        second += square
        third += shifted * square
        fourth += square * square
        lowest = min(lowest, value)
        highest = max(highest, value)
    power_sums[0] += first
    power_sums[1] += second
    power_sums[2] += third
    power_sums[3] += fourth
    extremes[0], extremes[1] = lowest, highest


@no_type_check
@njit
def _tally_part(products, columns, i, x, y, tally, values):
    """Add up the pairs of vector `i` of `x` with some neighboring vectors of `y`."""
    values, places = values[: products.size], y.place[columns]
    sums = tally.sums[x.place[i]]
    limits, counts, powers, extremes = tally.limits, tally.counts, tally.power_sums, tally.extremes
    _distances(products, x.squared[i], y.squared[columns], values, sums, places)
    _count(values, limits[0, 0], limits[0, 1], counts[0], powers[0], extremes[0])
    _dot_products(products, x.dot_shift[i], y.dot_shift[columns], values, sums, places)
    _count(values, limits[1, 0], limits[1, 1], counts[1], powers[1], extremes[1])
    inverses = y.inverse_norm[columns]
    n = _cosines(values, x.inverse_norm[i], inverses, values, sums[:, 3:6], places)
    _count(values[:n], limits[2, 0], limits[2, 1], counts[2], powers[2], extremes[2])
    inverse, inverses = x.centered_inverse_norm[i], y.centered_inverse_norm[columns]
    n = _cosines(products, inverse, inverses, values, sums[:, 6:9], places)
    _count(values[:n], limits[3, 0], limits[3, 1], counts[3], powers[3], extremes[3])


@no_type_check
@njit(nogil=True, cache=True)
def tally_rows(
    products: Float[np.ndarray, "row column"], within: bool, x: Side, y: Side, tally: Tally
) -> None:
    """Add the pairs of vectors of `x` and `y` or, `within`, of `x` and later vectors of `x`.

    Groups ascend on both sides: pairs within a group are adjacent, and left out.
    """
    values = np.empty(products.shape[1])
    for i in range(products.shape[0]):
        first = np.searchsorted(y.group, x.group[i])
        end = np.searchsorted(y.group, x.group[i], side="right")
        if first > 0 and not within:
            columns = slice(0, first)
            _tally_part(products[i, columns], columns, i, x, y, tally, values)
        if end < products.shape[1]:
            columns = slice(end, products.shape[1])
            _tally_part(products[i, columns], columns, i, x, y, tally, values)


@no_type_check
@njit(nogil=True, cache=True)
def totals_of(
    sums: Float[np.ndarray, "place_x place_y total"],
    in_x: Bool[np.ndarray, " place_x"],
    in_y: Bool[np.ndarray, " place_y"],
    within: bool,
) -> Float[np.ndarray, " total"]:
    """Sums over the pairs of units that are in; `within`, the first is not after the second."""
    totals = np.zeros(sums.shape[2])
    columns = np.flatnonzero(in_y)
    for i in np.flatnonzero(in_x):
        for j in columns:
            if j >= i or not within:
                for k in range(totals.size):
                    totals[k] += sums[i, j, k]
    return totals
