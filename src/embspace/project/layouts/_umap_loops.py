"""Compiled loops that lay out a weighted graph, in one order, so that a seed gives one map.

What depends on a squared distance is looked up in a table: the power in it took most of the
time.
"""

from typing import no_type_check

import numpy as np
from jaxtyping import Float, Int, UInt64
from numba import njit

LOWEST, HIGHEST = -40, 24  # powers of two between which squared distances have values of their own
BITS = 7  # 128 values from one power of two to the next
REST = 23 - BITS  # bits of a float32 under them, which say where between two values
LARGEST = np.float32(4.0)  # step of a coordinate, as in umap-learn


def table_nodes() -> Float[np.ndarray, " node"]:
    """The squared distances at which a table for `lay_out` has its values."""
    nodes = np.arange((LOWEST + 127) << BITS, (HIGHEST + 127) << BITS, dtype=np.int32)
    return (nodes << REST).view(np.float32).astype(np.float64)


@no_type_check
@njit(error_model="numpy")
def _look_up(table, squared_distance):
    bits = np.float32(squared_distance).view(np.int32)
    node = (bits >> REST) - ((LOWEST + 127) << BITS)
    if node < 0:
        return table[0]
    if node >= table.size - 1:
        return table[table.size - 1]
    share = np.float32(bits & ((1 << REST) - 1)) / np.float32(1 << REST)
    return table[node] + share * (table[node + 1] - table[node])


@no_type_check
@njit
def _clipped(step):
    return min(max(step, -LARGEST), LARGEST)


@no_type_check
@njit
def _random_below(n, state):
    """A random whole number under n: Marsaglia (2003), Journal of Statistical Software 8(14)."""
    state[0] ^= state[0] << np.uint64(13)
    state[0] ^= state[0] >> np.uint64(7)
    state[0] ^= state[0] << np.uint64(17)
    return ((state[0] >> np.uint64(32)) * n) >> np.uint64(32)


@no_type_check
@njit(error_model="numpy")
def _attract(layout, one, other, rate, pull):
    dx = layout[one, 0] - layout[other, 0]
    dy = layout[one, 1] - layout[other, 1]
    strength = _look_up(pull, dx * dx + dy * dy)
    step_x = rate * _clipped(strength * dx)
    step_y = rate * _clipped(strength * dy)
    layout[one, 0] -= step_x
    layout[one, 1] -= step_y
    layout[other, 0] += step_x
    layout[other, 1] += step_y


@no_type_check
@njit(error_model="numpy")
def _repel(layout, one, n_others, rate, push, state):
    x, y = layout[one, 0], layout[one, 1]
    for _ in range(n_others):
        other = _random_below(np.uint64(layout.shape[0]), state)
        if other == one:  # where it was before the first push
            continue
        dx = x - layout[other, 0]
        dy = y - layout[other, 1]
        strength = _look_up(push, dx * dx + dy * dy)
        x += rate * _clipped(strength * dx)
        y += rate * _clipped(strength * dy)
    layout[one, 0], layout[one, 1] = x, y


@no_type_check
@njit(nogil=True, cache=True, error_model="numpy")
def lay_out(
    layout: Float[np.ndarray, "n 2"],
    heads: Int[np.ndarray, " edge"],
    tails: Int[np.ndarray, " edge"],
    periods: Float[np.ndarray, " edge"],
    n_repelled: int,
    n_epochs: int,
    pull: Float[np.ndarray, " node"],
    push: Float[np.ndarray, " node"],
    state: UInt64[np.ndarray, " 1"],
) -> None:
    """Move the points of `layout`, float32, by stochastic gradient descent.

    An edge attracts its two ends once in `periods` epochs; each time some `n_repelled` random
    points push its head away. `pull` and `push` hold the strengths, over the difference of two
    points, at the squared distances of `table_nodes`. `state` of the random numbers is not zero.
    """
    due = periods.copy()
    repulsion_periods = periods / n_repelled
    repulsion_due = repulsion_periods.copy()
    for epoch in range(n_epochs):
        rate = np.float32(1 - epoch / n_epochs)
        for edge in range(heads.size):
            if due[edge] > epoch:
                continue
            due[edge] += periods[edge]
            _attract(layout, heads[edge], tails[edge], rate, pull)
            n_others = int((epoch - repulsion_due[edge]) / repulsion_periods[edge])
            repulsion_due[edge] += n_others * repulsion_periods[edge]
            _repel(layout, heads[edge], n_others, rate, push, state)
