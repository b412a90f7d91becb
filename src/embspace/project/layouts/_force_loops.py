"""Compiled loops over the points of a map, in float32 and in one order of additions.

No sum is reordered, so that the width of a processor's vectors changes nothing. `numpy` as error
model, since a check for division by zero keeps a loop from vectors.
"""

from typing import no_type_check

import numpy as np
from jaxtyping import Float, Int
from numba import njit

ONE = np.float32(1)
TILE = 1024  # points whose sums stay in the cache
N_NODES = 3  # of a box, on each axis: quadratic interpolation


@no_type_check
@njit(error_model="numpy")
def _repel_from(xi, yi, x, y, fx, fy, similarities):
    for j in range(x.size):
        dx = x[j] - xi
        dy = y[j] - yi
        w = ONE / (ONE + dx * dx + dy * dy)
        similarities[j] += w
        fx[j] += w * w * dx
        fy[j] += w * w * dy


@no_type_check
@njit(nogil=True, cache=True, error_model="numpy")
def repel(
    x: Float[np.ndarray, " n"],
    y: Float[np.ndarray, " n"],
    fx: Float[np.ndarray, " n"],
    fy: Float[np.ndarray, " n"],
) -> float:
    """Fill the repulsion of every point by all others; the sum of all similarities.

    Each point takes the others one after the other, so that the loop within has no sum.
    """
    similarities = np.zeros(x.size, np.float32)
    fx[:] = 0
    fy[:] = 0
    for start in range(0, x.size, TILE):
        tile = slice(start, min(start + TILE, x.size))
        for i in range(x.size):
            _repel_from(x[i], y[i], x[tile], y[tile], fx[tile], fy[tile], similarities[tile])
    total = 0.0
    for j in range(x.size):
        total += similarities[j]
    return total - x.size  # no point repels itself


@no_type_check
@njit(error_model="numpy")
def _pull(xi, yi, others, strengths, x, y, pulls_x, pulls_y):
    for k in range(others.size):
        dx = xi - x[others[k]]
        dy = yi - y[others[k]]
        w = np.float32(strengths[k]) / (ONE + dx * dx + dy * dy)
        pulls_x[k] = w * dx
        pulls_y[k] = w * dy


# One sum of floats waits for itself at each step; four do not.
@no_type_check
@njit
def _sum(values, n):
    a, b, c, d = np.float32(0), np.float32(0), np.float32(0), np.float32(0)
    whole = n - n % 4
    for k in range(0, whole, 4):
        a += values[k]
        b += values[k + 1]
        c += values[k + 2]
        d += values[k + 3]
    for k in range(whole, n):
        a += values[k]
    return (a + b) + (c + d)


@no_type_check
@njit(nogil=True, cache=True, error_model="numpy")
def attract(
    indices: Int[np.ndarray, " edges"],
    starts: Int[np.ndarray, " n+1"],
    strengths: Float[np.ndarray, " edges"],
    x: Float[np.ndarray, " n"],
    y: Float[np.ndarray, " n"],
    fx: Float[np.ndarray, " n"],
    fy: Float[np.ndarray, " n"],
) -> None:
    """Fill the attraction of every point by those that it has an edge to, rows of a CSR matrix."""
    pulls_x = np.empty(x.size, np.float32)
    pulls_y = np.empty(x.size, np.float32)
    for i in range(x.size):
        row = slice(starts[i], starts[i + 1])
        _pull(x[i], y[i], indices[row], strengths[row], x, y, pulls_x, pulls_y)
        fx[i] = _sum(pulls_x, row.stop - row.start)
        fy[i] = _sum(pulls_y, row.stop - row.start)


@no_type_check
@njit(nogil=True, cache=True, error_model="numpy")
def place_in_boxes(
    values: Float[np.ndarray, " n"],
    low: float,
    width: float,
    first_nodes: Int[np.ndarray, " n"],
    weights: Float[np.ndarray, "n nodes"],
) -> None:
    """Fill each value's first node and the weights of its box's three, at 1/6, 1/2 and 5/6 of it.

    The weights are Lagrange's polynomials.
    """
    for i in range(values.size):
        place = (values[i] - low) / width
        box = int(place)
        a = place - box - 1 / 6
        b = place - box - 1 / 2
        c = place - box - 5 / 6
        first_nodes[i] = N_NODES * box
        weights[i, 0] = 4.5 * b * c
        weights[i, 1] = -9.0 * a * c
        weights[i, 2] = 4.5 * a * b


@no_type_check
@njit(nogil=True, cache=True)
def spread(
    rows: Int[np.ndarray, " n"],
    row_weights: Float[np.ndarray, "n nodes"],
    columns: Int[np.ndarray, " n"],
    column_weights: Float[np.ndarray, "n nodes"],
    grid: Float[np.ndarray, "row column"],
) -> None:
    """Add each point to the nine nodes of its box."""
    for i in range(rows.size):
        for k in range(N_NODES):
            for m in range(N_NODES):
                grid[rows[i] + k, columns[i] + m] += row_weights[i, k] * column_weights[i, m]


@no_type_check
@njit(nogil=True, cache=True)
def gather(
    rows: Int[np.ndarray, " n"],
    row_weights: Float[np.ndarray, "n nodes"],
    columns: Int[np.ndarray, " n"],
    column_weights: Float[np.ndarray, "n nodes"],
    grid: Float[np.ndarray, "row column"],
    values: Float[np.ndarray, " n"],
) -> None:
    """Fill the value at each point from the nine nodes of its box."""
    for i in range(rows.size):
        value = np.float32(0)
        for k in range(N_NODES):
            for m in range(N_NODES):
                weight = row_weights[i, k] * column_weights[i, m]
                value += weight * grid[rows[i] + k, columns[i] + m]
        values[i] = value
