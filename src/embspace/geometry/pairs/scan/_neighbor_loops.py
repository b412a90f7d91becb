"""Compiled loops that look for the nearest neighbors of both rows of a pair.

A list takes every pair with a key under the bound. A full list keeps the smallest keys and lowers
the bound, without sorting; every refused or dropped pair has a key of at least the bound.

Functions that call each other are in the same file, see `_tally_loops`.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Float, Int
from numba import njit

WORD = 8  # marks that are looked at together, as one integer of 64 bits
MANY, MUCH_MORE = 32, 4  # neighbors; times as many others
LANES = 32  # of `_distances`; with fewer, LLVM unrolls the loop and does not vectorize it


class Candidates(NamedTuple):
    """Lists of the likely neighbors of each row, in no order.

    A key is a lower limit of half the squared distance: s_i + s_j - x_i . x_j in float32, where
    s is a little less than half the squared norm, see `_neighbor_lists.shrunk_halves`.
    """

    keys: Float[np.ndarray, "row place"]
    indices: Int[np.ndarray, "row place"]
    counts: Int[np.ndarray, " row"]
    """Places taken."""
    bounds: Float[np.ndarray, " row"]
    """No pair outside the list has a smaller key."""

    @classmethod
    def empty(cls, n: int, n_places: int) -> "Candidates":
        """Return lists with all places free."""
        return cls(
            np.empty((n, n_places), dtype=np.float32),
            np.empty((n, n_places), dtype=np.int32),
            np.zeros(n, dtype=np.int32),
            np.full(n, np.inf, dtype=np.float32),
        )


@no_type_check
@njit
def _n_under(keys, limit):
    n_under = np.int32(0)
    for place in range(keys.size):
        n_under += np.int32(keys[place] < limit)
    return n_under


@no_type_check
@njit(fastmath={"nnan", "nsz"})  # no key is NaN; LLVM would take them one by one, to notice
def _range(keys):
    low, high = keys[0], keys[0]
    for place in range(1, keys.size):
        low, high = min(low, keys[place]), max(high, keys[place])
    return low, high


@no_type_check
@njit
def _limit_between(keys, n_least, n_most):
    """A limit above `n_least` to `n_most` keys, and the number of keys at the limit to add.

    Bisection: counting is far quicker than moving. Among many ties a limit may not exist.
    """
    low, high = _range(keys)
    n_under_low, middle = 0, high
    n_under = _n_under(keys, high)
    if n_under < n_least:
        return high, n_least - n_under
    while n_under < n_least or n_under > n_most:
        if n_under < n_least:
            low, n_under_low = middle, n_under
        else:
            high = middle
        middle = low + (high - low) * np.float32(0.5)
        if not low < middle < high:
            return low, n_least - n_under_low
        n_under = _n_under(keys, middle)
    return middle, 0


@no_type_check
@njit
def _compact(keys, indices, n_least, n_most):
    """Keep the smallest keys in front; return their number and the bound of all other keys."""
    limit, n_ties = _limit_between(keys, n_least, n_most)
    n_kept = 0
    for place in range(keys.size):
        key, index = keys[place], indices[place]
        stays = key < limit
        if not stays and n_ties > 0 and key == limit:
            stays = True
            n_ties -= 1
        # Written in any case: a branch that is taken at random costs more.
        keys[n_kept], indices[n_kept] = key, index
        n_kept += np.int32(stays)
    return n_kept, limit


@no_type_check
@njit
def _mark(dots, row, halves, row_limit, column_limits, half, marks):
    """Mark the pairs that either list may take."""
    for j in range(halves.size):
        dot = dots[row, j]
        marks[j] = (dot - halves[j] > row_limit) | (dot - half > column_limits[j])


@no_type_check
@njit
def _gather(words, marks, start, places, hits):
    """Write the marked places into `hits`, and return their number.

    Every place is written, and overwritten by the next unless it is marked: a branch would be taken
    at random.
    """
    n_places = 0
    for word in range(start // WORD, words.size):
        places[n_places] = word
        n_places += np.int64(words[word] != 0)
    n_hits = 0
    for place in range(n_places):
        first = places[place] * WORD
        for j in range(first, first + WORD):
            hits[n_hits] = j
            n_hits += np.int64(marks[j] & (j >= start))
    return n_hits


@no_type_check
@njit(nogil=True, cache=True)
def begin_lists(
    dots: Float[np.ndarray, "row row"],
    first: int,
    halves: Float[np.ndarray, " n"],
    candidates: Candidates,
    n_least: int,
) -> None:
    """Begin the lists of a block's rows within the block, for near bounds.

    Choosing the smallest of many keys at once takes a fraction of offering keys in turn.
    """
    keys, indices, counts, bounds = candidates
    n_others = len(dots) - 1
    own, row_halves = np.empty(n_others, np.float32), halves[first : first + len(dots)]
    words = np.zeros(n_others // WORD + 1, np.uint64)
    marks = words.view(np.uint8)
    places, hits = np.empty((2, marks.size + 1), np.int64)
    for i in range(len(dots)):
        for j in range(i):
            own[j] = row_halves[i] + row_halves[j] - dots[i, j]
        for j in range(i, n_others):
            own[j] = row_halves[i] + row_halves[j + 1] - dots[i, j + 1]
        limit, n_ties = np.float32(np.inf), 0
        if n_others > n_least:
            limit, n_ties = _limit_between(own, n_least, n_least + n_least // 8)
        for j in range(n_others):
            marks[j] = own[j] <= limit
        row, n_kept = first + i, 0
        for hit in range(_gather(words, marks, 0, places, hits)):
            j = hits[hit]
            is_tie = own[j] == limit
            keys[row, n_kept], indices[row, n_kept] = own[j], first + j + (j >= i)
            n_kept += np.int64(not is_tie or n_ties > 0)
            n_ties -= np.int64(is_tie)
        counts[row], bounds[row] = n_kept, limit


@no_type_check
@njit(nogil=True, cache=True)
def offer_neighbors(
    dots: Float[np.ndarray, "row column"],
    first_row: int,
    first_column: int,
    halves: Float[np.ndarray, " n"],
    candidates: Candidates,
    n_least: int,
) -> None:
    """Bring the pairs of a block into the lists of both rows.

    A block with equal first row and column has pairs only above the diagonal. One long function: a
    call with an array counts a reference to the array, and two threads would count the same arrays.
    """
    keys, indices, counts, bounds = candidates
    n_rows, n_columns = dots.shape
    n_places, n_most = keys.shape[1], n_least + n_least // 8
    column_halves = halves[first_column : first_column + n_columns]
    column_bounds = bounds[first_column : first_column + n_columns]
    column_limits = column_halves - column_bounds
    words = np.zeros(n_columns // WORD + 1, np.uint64)
    marks = words.view(np.uint8)
    places, hits = np.empty((2, marks.size + 1), np.int64)
    for i in range(n_rows):
        row, half = first_row + i, halves[first_row + i]
        _mark(dots, i, column_halves, half - bounds[row], column_limits, half, marks)
        start = i + 1 if first_row == first_column else 0
        n_hits = _gather(words, marks, start, places, hits)
        row_count, row_bound = counts[row], bounds[row]
        for hit in range(n_hits):
            j = hits[hit]
            column = first_column + j
            key = half + column_halves[j] - dots[i, j]
            keys[row, row_count], indices[row, row_count] = key, column
            row_count += np.int32(key < row_bound)
            if row_count == n_places:
                row_count, row_bound = _compact(keys[row], indices[row], n_least, n_most)
            count = counts[column]
            keys[column, count], indices[column, count] = key, row
            count += np.int32(key < bounds[column])
            if count == n_places:
                count, bounds[column] = _compact(keys[column], indices[column], n_least, n_most)
                column_limits[j] = column_halves[j] - bounds[column]
            counts[column] = count
        counts[row], bounds[row] = row_count, row_bound


@no_type_check
@njit
def _distances(vectors, row, others, distances):
    """Fill `found`, in float64: sums of every 32nd square, then folded in halves.

    The order of summation is explicit: a pair, and any pair of equal vectors, has the same distance
    everywhere. LLVM still vectorizes the loop.
    """
    dim = vectors.shape[1]
    whole = dim - dim % LANES
    sums = np.empty(LANES)
    for place in range(others.size):
        other = others[place]
        sums[:] = 0.0
        for begin in range(0, whole, LANES):
            for lane in range(LANES):
                j = begin + lane
                difference = np.float64(vectors[row, j]) - np.float64(vectors[other, j])
                sums[lane] += difference * difference
        for j in range(whole, dim):
            difference = np.float64(vectors[row, j]) - np.float64(vectors[other, j])
            sums[j - whole] += difference * difference
        length = LANES
        while length > 1:
            length //= 2
            for lane in range(length):
                sums[lane] += sums[length + lane]
        distances[place] = np.sqrt(sums[0])


@no_type_check
@njit
def _nearest(vectors, row, others, candidate_distances, indices, distances):
    """Fill the results of a row with the nearest of `others`; ties by the smaller number.

    `found` has room for the distances. A candidate goes to its place among the nearest so far. For
    many neighbors among many more candidates, hopeless candidates are left out first: with ever
    nearer rows, every insertion would move all.
    """
    _distances(vectors, row, others, candidate_distances)
    k, n_listed, limit = indices.shape[1], 0, np.inf
    if k > MANY and others.size > MUCH_MORE * k:
        limit = np.partition(candidate_distances[: others.size], k - 1)[k - 1]
    for one in range(others.size):
        distance, other = candidate_distances[one], others[one]
        if distance > limit:
            continue
        place = n_listed
        while place > 0 and (
            distances[row, place - 1] > distance
            or (distances[row, place - 1] == distance and indices[row, place - 1] > other)
        ):
            if place < k:
                distances[row, place] = distances[row, place - 1]
                indices[row, place] = indices[row, place - 1]
            place -= 1
        if place < k:
            distances[row, place], indices[row, place] = distance, other
            n_listed = min(n_listed + 1, k)


@no_type_check
@njit(nogil=True, cache=True)
def settle_candidates(
    vectors: Float[np.ndarray, "n dim"],
    numbers: Int[np.ndarray, " row"],
    zeros: Int[np.ndarray, " zero"],
    candidates: Candidates,
    begin: int,
    end: int,
    n_least: int,
    indices: Int[np.ndarray, "n k"],
    distances: Float[np.ndarray, "n k"],
    certain: Bool[np.ndarray, " n"],
) -> None:
    """Put the lists of some rows into order by distances in float64.

    A row is certain if its farthest neighbor is nearer than whatever is missing from the list.
    """
    k, candidate_distances = indices.shape[1], np.empty(candidates.keys.shape[1] + zeros.size)
    for list_ in range(begin, end):
        count, bound = candidates.counts[list_], candidates.bounds[list_]
        keys, listed = candidates.keys[list_, :count], candidates.indices[list_, :count]
        if count > n_least:
            count, bound = _compact(keys, listed, n_least, n_least)
        others = np.concatenate((numbers[listed[:count]], zeros))
        if others.size < k:
            continue
        row = numbers[list_]
        _nearest(vectors, row, others, candidate_distances, indices, distances)
        certain[row] = distances[row, k - 1] ** 2 / 2 < bound


@no_type_check
@njit(nogil=True, cache=True)
def settle_all(
    vectors: Float[np.ndarray, "n dim"],
    rows: Int[np.ndarray, " row"],
    indices: Int[np.ndarray, "n k"],
    distances: Float[np.ndarray, "n k"],
) -> None:
    """Find the neighbors of some rows among all other rows, in float64 alone."""
    others, candidate_distances = np.empty(len(vectors) - 1, np.int64), np.empty(len(vectors) - 1)
    for row in rows:
        for other in range(others.size):
            others[other] = other + (other >= row)
        _nearest(vectors, row, others, candidate_distances, indices, distances)
