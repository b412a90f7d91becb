"""Reads rows of a matrix in an .npy file, without the rest of it in memory."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from jaxtyping import Float

from embspace.errors import InputError

PIECE = 2**24  # bytes read at once
NPY = ".npy"
SMALLEST_NORM, LARGEST_NORM = 1e-15, 1e15  # as `scan_pairs` has them


@contextmanager
def matrix_file(
    file: Path, *, header: bool | None = None, separator: str | None = None
) -> Iterator[Path]:
    """Yield a file for `MatrixFile`, with the vectors of any file for `read_vectors`.

    A file with rows in order is used directly, and stays on the disk; any other is read into memory
    and written to the temporary files of this machine, float32, while the block runs.

    Raises:
        InputError: as `read_vectors` and `MatrixFile.of` do.
    """
    if file.suffix.lower() == NPY and header is None and separator is None:
        try:
            MatrixFile.of(file)
        except _OtherOrder:
            pass
        else:
            yield file
            return
    from embspace.files.vectors import read_vectors

    x = read_vectors(file, header=header, separator=separator)
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"matrix{NPY}"
        np.save(path, x)
        del x
        yield path


class _OtherOrder(InputError):
    """A matrix that is stored column by column, not row by row."""


@dataclass(frozen=True)
class MatrixFile:
    """The place and type of a matrix (n, dim) on disk, row by row."""

    path: Path
    n: int
    dim: int
    number_type: np.dtype
    start: int
    """Bytes before the first number."""

    @classmethod
    def of(cls, path: Path) -> "MatrixFile":
        """Read the head of a file.

        Raises:
            InputError: an unknown ending, no such file, no .npy, no matrix of two rows or more,
                numbers that are not real, columns in order instead of rows, or a file cut short.
        """
        if path.suffix.lower() != NPY:
            raise InputError(f"{path}: found the ending '{path.suffix}', allowed: {NPY}")
        if not path.is_file():
            raise InputError(f"{path}: not found")
        try:
            # A map takes no memory until it is read; it knows the head of every version.
            matrix = np.lib.format.open_memmap(path, mode="r")
        except (OSError, ValueError, EOFError) as error:
            raise InputError(f"{path}: is no whole {NPY} file: {error}") from error
        if matrix.dtype.kind not in "fiu":
            raise InputError(
                f"{path}: found {matrix.dtype} values, allowed: floating-point or integers"
            )
        if matrix.ndim != 2 or matrix.shape[0] < 2 or not matrix.shape[1]:
            raise InputError(
                f"{path}: found the shape {matrix.shape}, allowed: (row, dim), two rows or more"
            )
        if not matrix.flags.c_contiguous:
            raise _OtherOrder(
                f"{path}: found columns in order, allowed: rows, as np.ascontiguousarray makes them"
            )
        n, dim = matrix.shape
        return cls(path, n, dim, matrix.dtype, int(matrix.offset))

    def rows(self, begin: int, end: int) -> Float[np.ndarray, "row dim"]:
        """Return the rows from `begin` to before `end` in float32, read piece by piece.

        Raises:
            InputError: for a row with NaN, infinity or a number beyond float32; the message has the
                row's number.
        """
        x = np.empty((end - begin, self.dim), dtype=np.float32)
        self.read_into(x, begin)
        return x

    def read_into(self, x: Float[np.ndarray, "row dim"], begin: int) -> None:
        """Fill `x` with the rows from `begin` on, as `rows` does."""
        width = self.dim * self.number_type.itemsize
        step = max(1, PIECE // width)
        with self.path.open("rb") as stream:
            stream.seek(self.start + begin * width)
            for first in range(0, len(x), step):
                part = x[first : first + step]
                read = np.fromfile(stream, dtype=self.number_type, count=part.size)
                if read.size < part.size:
                    raise InputError(f"{self.path}: ends before row {begin + first + len(part)}")
                with np.errstate(over="ignore"):  # told below
                    part[:] = read.reshape(part.shape)
                bad = ~np.isfinite(part).all(axis=1)
                if bad.any():
                    row = begin + first + int(bad.argmax())
                    raise InputError(
                        f"{self.path}: row {row}: found NaN, infinity or what is beyond float32, "
                        "allowed: finite numbers"
                    )

    def norms(self) -> Float[np.ndarray, " n"]:
        """Return the lengths of all rows, in one pass over the file.

        Raises:
            InputError: as `rows`, or for a nonzero length outside 1e-15 to 1e15.
        """
        from embspace.geometry.pairs.directions import norms

        step = max(1, PIECE // (self.dim * 4))
        pieces = [
            norms(self.rows(begin, min(begin + step, self.n))) for begin in range(0, self.n, step)
        ]
        lengths = np.concatenate(pieces)
        bad = (lengths > 0) & ((lengths < SMALLEST_NORM) | (lengths > LARGEST_NORM))
        if bad.any():
            row = int(bad.argmax())
            raise InputError(
                f"{self.path}: row {row}: found the norm {lengths[row]:g}, allowed: zero or "
                f"{SMALLEST_NORM:g} to {LARGEST_NORM:g}; rescale the matrix"
            )
        return lengths
