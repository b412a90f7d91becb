"""The exact graph of nearest neighbors, of which float32 products only make the candidates."""

from collections import deque
from contextlib import ExitStack
from threading import Lock

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.geometry.pairs.scan._neighbor_loops import (
    Candidates,
    begin_lists,
    offer_neighbors,
    settle_all,
    settle_candidates,
)
from embspace.geometry.pairs.scan._rows import Rows
from embspace.geometry.pairs.scan._threads import map_in_order

CHUNK = 256  # rows that a thread settles at a time
FEW = 16  # likewise, of those that are compared with all


def shrunk_halves(squared_norms: Float[np.ndarray, " n"], dim: int) -> Float[np.ndarray, " n"]:
    """Return s such that s_i + s_j - x_i . x_j in float32 is at most |x_i - x_j|^2 / 2.

    The product is wrong by at most gamma_dim |x_i| |x_j|, whatever the order of summation (Higham
    2002, equation 3.5), and 2 |x_i| |x_j| <= |x_i|^2 + |x_j|^2: every row bears its part. 32
    further roundings are in s, the key and the comparisons; 4 more, from float64 to float32, change
    a distance by u (|x_i| + |x_j|), and half the square by 2 u (|x_i|^2 + |x_j|^2).
    """
    roundings = (dim + 36) * 2.0**-24
    return (squared_norms * (0.5 - 0.5 * roundings / (1 - roundings))).astype(np.float32)


def n_candidates(k: int) -> int:
    """Return a number above `k`, since float32 may confuse the last neighbor with the next row."""
    return k + 8 + k // 32


class NeighborLists:
    """Gathers the candidates of every row from the blocks of a scan; threads can share it."""

    def __init__(self, rows: Rows, k: int) -> None:
        n, dim = rows.vectors.shape
        self.halves = shrunk_halves(np.square(rows.norms), dim)
        self.n_least = n_candidates(k)
        self.candidates = Candidates.empty(n, min(2 * self.n_least, n))
        self.locks: dict[int, Lock] = {}

    def offer(self, dots: Float[np.ndarray, "row column"], rows: int, columns: int) -> None:
        """Take the pairs of a block that begins at these rows and columns."""
        with ExitStack() as stack:
            for start in sorted({rows, columns}):
                stack.enter_context(self.locks.setdefault(start, Lock()))
            if rows == columns and not self.candidates.counts[rows : rows + len(dots)].any():
                begin_lists(dots, rows, self.halves, self.candidates, self.n_least)
            else:
                offer_neighbors(dots, rows, columns, self.halves, self.candidates, self.n_least)


def settled_graph(
    x: Float[np.ndarray, "n dim"],
    numbers: Int[np.ndarray, " row"],
    candidates: Candidates,
    k: int,
    n_threads: int,
) -> NeighborGraph:
    """The exact `k` nearest of every row, from the candidates of the rows with `numbers`.

    A pair missing from a list has a key of at least the list's bound. A row is certain if the bound
    is farther than the neighbors by distances in float64. Uncertain rows, with too many rows at
    nearly the same distance, are compared with all rows in float64; so are rows of norm zero,
    without a list.
    """
    indices, distances = np.empty((len(x), k), dtype=np.int32), np.empty((len(x), k))
    certain = np.zeros(len(x), dtype=np.bool_)
    # A zero row is as far from each other as that one is long; the first k are enough.
    zeros = np.setdiff1d(np.arange(len(x)), numbers)[:k]

    def settle(begin: int) -> None:
        lists = (candidates, begin, min(begin + CHUNK, len(numbers)), n_candidates(k))
        settle_candidates(x, numbers, zeros, *lists, indices, distances, certain)

    def settle_again(rows: Int[np.ndarray, " row"]) -> None:
        settle_all(x, rows, indices, distances)

    deque(map_in_order(settle, range(0, len(numbers), CHUNK), n_threads), maxlen=0)
    uncertain = np.flatnonzero(~certain)
    few = [uncertain[begin : begin + FEW] for begin in range(0, len(uncertain), FEW)]
    deque(map_in_order(settle_again, few, n_threads), maxlen=0)
    return NeighborGraph(indices, distances)
