"""Directions of vectors in blocks, of an array or of a file that is mapped into memory."""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.pairs.directions import norms, unit_rows

BLOCK_NUMBERS = 2**22  # numbers of a block of vectors, and cosines of two blocks, in memory at once


class UnitRows:
    """Vectors of unit length, float32, computed on access.

    Beyond the vectors, perhaps a memory map, memory holds a single block.
    """

    def __init__(
        self, x: Float[np.ndarray, "n dim"], mean: Float[np.ndarray, " dim"] | None = None
    ) -> None:
        """Take vectors, and a mean to subtract first."""
        self._x, self._mean = x, mean
        lengths = [norms(self._centered(rows)) for rows in self._blocks(len(x))]
        self.kept = np.flatnonzero(np.concatenate([np.empty(0), *lengths]) > 0)
        """The rows with a direction; zero rows are left out."""

    def __len__(self) -> int:
        """Return the number of vectors with a direction."""
        return len(self.kept)

    def __getitem__(self, rows: slice | Int[np.ndarray, " m"]) -> Float[np.ndarray, "m dim"]:
        """Return some vectors, numbered without the left-out rows."""
        chosen: slice | Int[np.ndarray, " m"] = rows
        if len(self.kept) < len(self._x):
            chosen = self.kept[rows]
        return np.asarray(unit_rows(self._centered(chosen)))

    def pairs_of_blocks(self) -> Iterator[tuple[slice, slice]]:
        """Yield pairs of blocks with any two rows in exactly one pair, the lower first."""
        blocks = self._blocks(len(self))
        for number, first in enumerate(blocks):
            for second in blocks[number:]:
                yield first, second

    def _blocks(self, n: int) -> list[slice]:
        step = max(1, min(BLOCK_NUMBERS // self._x.shape[1], int(BLOCK_NUMBERS**0.5)))
        return [slice(begin, min(begin + step, n)) for begin in range(0, n, step)]

    def _centered(self, rows: slice | Int[np.ndarray, " m"]) -> Float[np.ndarray, "m dim"]:
        x = np.asarray(self._x[rows])
        if self._mean is not None:
            x = x.astype(np.float64) - self._mean
        return x.astype(np.float32)
