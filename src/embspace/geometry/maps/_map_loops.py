"""Compiled loops that look up neighbors and ranks, one row of distances at a time.

Points are ordered by (distance, row number): ties have a fixed order. Functions that call each
other are in the same file, see `_tally_loops`.
"""

from typing import no_type_check

import numpy as np
from jaxtyping import Float, Int
from numba import njit

VECTORISED = {"reassoc", "contract", "nnan", "nsz"}  # as in `_tally_loops`
NEAR = 2.0**-10  # as in `_tally_loops`


@no_type_check
@njit(fastmath=VECTORISED)
def _direct(a, b):
    total = 0.0
    for k in range(a.size):
        difference = np.float64(a[k]) - np.float64(b[k])
        total += difference * difference
    return total


@no_type_check
@njit(fastmath=VECTORISED)
def _squared_distances(dots, squared_norm, squared_norms):
    """Put squared distances in the place of `dots`; return how many are too small for that."""
    n_near = 0
    for j in range(dots.size):
        squares = squared_norm + squared_norms[j]
        dots[j] = max(squares - np.float32(2) * dots[j], np.float32(0))
        n_near += dots[j] < np.float32(NEAR) * squares
    return n_near


@no_type_check
@njit
def _mend_near(distances, row, x, squared_norms):
    for j in range(distances.size):
        if distances[j] < np.float32(NEAR) * (squared_norms[row] + squared_norms[j]):
            distances[j] = _direct(x[row], x[j])


@no_type_check
@njit
def _find_nearest(distances, nearest, nearest_distances):
    """The smallest distances, in order; of ties the first."""
    last = nearest.size - 1
    nearest_distances[:] = np.inf
    for j in range(distances.size):
        if distances[j] < nearest_distances[last]:
            place = last
            while place > 0 and distances[j] < nearest_distances[place - 1]:
                nearest_distances[place] = nearest_distances[place - 1]
                nearest[place] = nearest[place - 1]
                place -= 1
            nearest_distances[place] = distances[j]
            nearest[place] = j


# Five times as fast as one function with two loops.
@no_type_check
@njit(fastmath=VECTORISED)
def _n_under(distances, limit):
    count = np.int32(0)
    for j in range(distances.size):
        count += np.int32(distances[j] < limit)
    return count


@no_type_check
@njit(fastmath=VECTORISED)
def _n_up_to(distances, limit):
    count = np.int32(0)
    for j in range(distances.size):
        count += np.int32(distances[j] <= limit)
    return count


@no_type_check
@njit
def _rank(distances, candidate):
    limit = distances[candidate]
    before = _n_up_to(distances[:candidate], limit)
    return 1 + before + _n_under(distances[candidate + 1 :], limit)


@no_type_check
@njit
def _look_up(distances, candidates, nearest, nearest_distances, ranks):
    if nearest.size:
        _find_nearest(distances, nearest, nearest_distances)
    for place in range(candidates.size):
        ranks[place] = _rank(distances, candidates[place])


@no_type_check
@njit(nogil=True, cache=True)
def look_up_in_products(
    dots: Float[np.ndarray, "row n"],
    start: int,
    x: Float[np.ndarray, "n dim"],
    squared_norms: Float[np.ndarray, " n"],
    candidates: Int[np.ndarray, "row n_candidates"],
    nearest: Int[np.ndarray, "row n_neighbors"],
    ranks: Int[np.ndarray, "row n_candidates"],
) -> None:
    """Fill `nearest` and the `ranks` of `candidates` for the rows of `x` from `start` on.

    `dots` are the products of these rows with all of `x`, and are written over.
    """
    nearest_distances = np.empty(nearest.shape[1], dots.dtype)
    for i in range(dots.shape[0]):
        row = start + i
        if _squared_distances(dots[i], squared_norms[row], squared_norms):
            _mend_near(dots[i], row, x, squared_norms)
        dots[i, row] = np.inf  # no neighbor of itself
        _look_up(dots[i], candidates[i], nearest[i], nearest_distances, ranks[i])


@no_type_check
@njit(nogil=True, cache=True)
def look_up_in_map(
    columns: Float[np.ndarray, "dim n"],
    start: int,
    candidates: Int[np.ndarray, "row n_candidates"],
    nearest: Int[np.ndarray, "row n_neighbors"],
    ranks: Int[np.ndarray, "row n_candidates"],
) -> None:
    """The same for a layout of few columns, from differences."""
    distances = np.empty(columns.shape[1])
    nearest_distances = np.empty(nearest.shape[1])
    for i in range(nearest.shape[0]):
        row = start + i
        distances[:] = 0
        for k in range(columns.shape[0]):
            _add_squared_differences(columns[k], columns[k, row], distances)
        distances[row] = np.inf
        _look_up(distances, candidates[i], nearest[i], nearest_distances, ranks[i])


@no_type_check
@njit(fastmath=VECTORISED)
def _add_squared_differences(column, value, distances):
    for j in range(distances.size):
        difference = column[j] - value
        distances[j] += difference * difference


@no_type_check
@njit(nogil=True, cache=True)
def count_common(a: Int[np.ndarray, "n k"], b: Int[np.ndarray, "n k"]) -> int:
    """Return how many numbers the rows of `a` and `b` share in all; each stands once in a row."""
    common = 0
    for i in range(a.shape[0]):
        for place in range(a.shape[1]):
            for other in range(b.shape[1]):
                common += a[i, place] == b[i, other]
    return common
