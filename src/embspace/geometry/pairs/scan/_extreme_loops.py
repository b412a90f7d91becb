"""Compiled loops that look for the extreme pairs of a block.

Functions that call each other are in the same file, see `_tally_loops`. None is called with tuples
of arrays for every row: numba counts a reference to all arrays, slower than the work on the row.
"""

from typing import no_type_check

import numpy as np
from jaxtyping import Float, Int
from numba import njit

from embspace.geometry.pairs.extremes import ORDERS, Kept, Search
from embspace.geometry.pairs.scan._rows import Rows

VECTORISED = {"reassoc", "contract", "nnan", "nsz"}  # as in `_tally_loops`
N_ORDERS = len(ORDERS)
PIECE = 64  # columns looked through at once; some 0.03 per cent of all pairs are candidates
TIE = 2.0**46  # see `_exact_cosine`


@no_type_check
@njit(fastmath=VECTORISED)
def _exact_cosine(a, b, norms):
    """Cosine in float64, in [-1, 1], as a multiple of 2^-46 = 1.4e-14.

    Products of float32 numbers are exact in float64, and a sum of thousands is right to some
    1e-15: the rounding makes ties of pairs that differ by no more, copies of a vector above all.
    """
    total = 0.0
    for k in range(a.size):
        total += np.float64(a[k]) * np.float64(b[k])
    return np.rint(min(max(total / norms, -1.0), 1.0) * TIE) / TIE


@no_type_check
@njit
def _shift_in(value, place, column):
    for later in range(column.size - 1, place, -1):
        column[later] = column[later - 1]
    column[place] = value


@no_type_check
@njit
def _insert(key, first, second, cosine, kept, list_):
    place = kept.key.shape[1]
    # Pairs of a block come in the order of (first, second), so of ties the first ones stay.
    while place > 0 and key < kept.key[list_, place - 1]:
        place -= 1
    if place < kept.key.shape[1]:
        _shift_in(key, place, kept.key[list_])
        _shift_in(first, place, kept.first[list_])
        _shift_in(second, place, kept.second[list_])
        _shift_in(cosine, place, kept.cosine[list_])


@no_type_check
@njit
def _key(order, cosine):
    """Small when the pair is extreme."""
    if order == 0:
        return -cosine
    if order == 1:
        return cosine
    return abs(cosine)


@no_type_check
@njit
def _reach(list_, search, kept):
    """Return the largest float32 key whose true key may still belong in the list."""
    return np.float32(min(search.bound[list_], kept.key[list_, -1]) + search.margin)


@no_type_check
@njit
def _widest_reaches(search, kept):
    """Return the widest reach of every order, over all groups."""
    widest = np.full(N_ORDERS, -np.inf, np.float32)
    for list_ in range(search.bound.size):
        order = list_ % N_ORDERS
        widest[order] = max(widest[order], _reach(list_, search, kept))
    return widest[0], widest[1], widest[2]


@no_type_check
@njit(fastmath=VECTORISED)
def _n_extreme(cosines, largest, smallest, nearest_to_zero):
    n_extreme = np.int32(0)
    for j in range(cosines.size):
        cosine = cosines[j]
        extreme = (-cosine <= largest) | (cosine <= smallest) | (abs(cosine) <= nearest_to_zero)
        n_extreme += np.int32(extreme)
    return n_extreme


@no_type_check
@njit
def _offer_piece(row, begin, cosines, left, right, search, kept):
    """Bring the qualifying pairs of a piece of a row into a list.

    A pair with a float32 key within the margin of the worst kept pair may truly be better, and the
    cosine is recomputed in float64.
    """
    for list_ in range(search.bound.size):
        group, order = divmod(list_, N_ORDERS)
        if not left.groups[group, row]:
            continue
        reach = _reach(list_, search, kept)
        for column in range(begin, min(begin + PIECE, cosines.shape[1])):
            if _key(order, cosines[row, column]) <= reach and right.groups[group, column]:
                norms = left.norms[row] * right.norms[column]
                cosine = _exact_cosine(left.vectors[row], right.vectors[column], norms)
                key = _key(order, cosine)
                if key <= search.bound[list_]:
                    first, second = left.numbers[row], right.numbers[column]
                    _insert(key, first, second, cosine, kept, list_)


@no_type_check
@njit(nogil=True, cache=True)
def offer_block(
    cosines: Float[np.ndarray, "row column"],
    left: Rows,
    right: Rows,
    diagonal: bool,
    search: Search,
    kept: Kept,
) -> None:
    """Bring the qualifying pairs of a block into a list.

    Most rows, and most pieces of rows, hold no candidate of any list: one count tells.
    """
    largest, smallest, nearest_to_zero = _widest_reaches(search, kept)
    for row in range(cosines.shape[0]):
        start = row + 1 if diagonal else 0
        if not _n_extreme(cosines[row, start:], largest, smallest, nearest_to_zero):
            continue
        for begin in range(start, cosines.shape[1], PIECE):
            piece = cosines[row, begin : begin + PIECE]
            if _n_extreme(piece, largest, smallest, nearest_to_zero):
                _offer_piece(row, begin, cosines, left, right, search, kept)
                largest, smallest, nearest_to_zero = _widest_reaches(search, kept)


@no_type_check
@njit(nogil=True, cache=True)
def offer_listed(
    rows: Int[np.ndarray, " pair"],
    columns: Int[np.ndarray, " pair"],
    left: Rows,
    right: Rows,
    search: Search,
    kept: Kept,
) -> None:
    """Bring the listed pairs of a block, in the order of (row, column), into the lists."""
    for pair in range(rows.size):
        row, column = rows[pair], columns[pair]
        norms = left.norms[row] * right.norms[column]
        cosine = _exact_cosine(left.vectors[row], right.vectors[column], norms)
        for list_ in range(search.bound.size):
            group, order = divmod(list_, N_ORDERS)
            key = _key(order, cosine)
            members = left.groups[group, row] and right.groups[group, column]
            if members and key <= search.bound[list_]:
                _insert(key, left.numbers[row], right.numbers[column], cosine, kept, list_)
