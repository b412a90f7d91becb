"""Finds the rows of a block with possibly large products, by 16-bit numbers.

Recent processors multiply 16-bit numbers (bfloat16) several times as fast as 32-bit numbers. A
16-bit product is off by less than `ROUGH` of |x| |y|. Most rows of a block can thus be excluded
from the top; the caller multiplies the remaining rows in float32. The result may have a row too
many, never a row too few; no final result depends on the processor.
"""

import time
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float, Int

if TYPE_CHECKING:
    import torch

RowFactor = Float[np.ndarray, "row rank"]
ColumnFactor = Float[np.ndarray, "column rank"]
# Two factors and their product are rounded, each to 8 bits: (1 + 2^-8)^3 - 1 < 0.0118. The rest
# is for the sum in float32, of at most `MOST_RANK` terms.
ROUGH = 2.0**-6
MOST_RANK = 1 << 13
# Between these no number that counts is lost, where a processor takes the smallest ones for 0.
LEAST_SCORE, MOST_NORM = 2.0**-60, 2.0**40
STEP = 1024  # of the number of columns
FEW = 64  # rows that NumPy multiplies as fast


class RoughProducts:
    """The products of rows of `x`, (row, rank), and of `y`, (column, rank), in bfloat16."""

    def __init__(self, x: RowFactor, y: ColumnFactor, most_norm: float) -> None:
        """Keep 16-bit copies; `most_norm` is the length of the longest vector of both."""
        import torch

        self._usable = most_norm <= MOST_NORM and x.shape[1] <= MOST_RANK
        self._x, self._y = (torch.from_numpy(side).bfloat16() for side in (x, y))
        self._memory = torch.empty(0, dtype=torch.bfloat16)

    def rows_that_may_reach(
        self, rows: slice, columns: slice, score: float, longest: float
    ) -> Int[np.ndarray, " some"]:
        """Return the places within `rows` that may have a product of `score` or more, ascending.

        `longest` is at least the product of norms of each pair of the block. All rows, where the
        rough products can't tell: where `score` is next to 0 or below.
        """
        import torch

        # Few shapes, for oneDNN compiles a program for each; a column more does no harm.
        stop = columns.start + -(-(columns.stop - columns.start) // STEP) * STEP
        x, y = self._x[rows], self._y[columns.start : stop]
        cut = score - ROUGH * longest
        if not self._usable or not cut >= LEAST_SCORE:
            return np.arange(len(x))
        if self._memory.numel() < len(x) * len(y):
            self._memory = torch.empty(len(x) * len(y), dtype=torch.bfloat16)
        products = self._memory[: len(x) * len(y)].view(len(x), len(y))
        torch.mm(x, y.T, out=products)
        # The bits of positive numbers, read as whole numbers, have the order of the numbers; those
        # of negative ones are negative. NumPy compares these many times as fast.
        largest = products.view(torch.int16).numpy().max(axis=1)
        # Cutting bits off rounds down.
        return np.flatnonzero(largest >= np.float32(cut).view(np.int32) >> 16)


def product(x: RowFactor, y: ColumnFactor) -> Float[np.ndarray, "row column"]:
    """Return x y' in float32, of many rows by torch: it takes wider instructions than NumPy may.

    The last digits hang on the processor: for bounds alone.
    """
    import torch

    if len(x) <= FEW:
        return x @ y.T
    return np.asarray(torch.mm(torch.from_numpy(x), torch.from_numpy(y).T))


@cache
def rough_is_faster() -> bool:
    """Return whether this processor multiplies in bfloat16 at least as fast as in float32.

    It is timed, once: about a millisecond. Only time hangs on the answer.
    """
    import torch

    single = torch.ones(256, 64)
    return _fastest(single.bfloat16()) <= _fastest(single)


def _fastest(x: "torch.Tensor") -> float:
    import torch

    times = []
    for _ in range(5):
        start = time.perf_counter()
        torch.mm(x, x.T)
        times.append(time.perf_counter() - start)
    return min(times)
