"""The rows of a matrix, checked and with norms, for the pair scan."""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.geometry.pairs.directions import norms
from embspace.geometry.pairs.vectors import as_array

# Well inside float32: products of two norms must neither overflow nor lose digits.
SMALLEST_NORM, LARGEST_NORM = 1e-15, 1e15


class Rows(NamedTuple):
    """Rows of non-zero norm."""

    vectors: Float[np.ndarray, "row dim"]
    norms: Float[np.ndarray, " row"]
    inverse_norms: Float[np.ndarray, " row"]
    squared_norms: Float[np.ndarray, " row"]
    numbers: Int[np.ndarray, " row"]
    """Numbers of the rows in the matrix that they come from."""
    groups: Bool[np.ndarray, "group row"]

    def part(self, rows: slice) -> "Rows":
        """The rows of a slice."""
        groups = np.ascontiguousarray(self.groups[:, rows])
        vectors, norms, inverse, squared, numbers = (column[rows] for column in self[:-1])
        return Rows(vectors, norms, inverse, squared, numbers, groups)


def checked_matrix(x: Any, name: str) -> np.ndarray:
    """`x` as float32, contiguous and writeable (read-only arrays would be compiled for again).

    Raises:
        ValueError: as `as_array`; `x` is no array of real numbers, not two-dimensional, has no
            column, or holds NaN or infinity, or a row that is zero in float32 alone.
    """
    x = as_array(x, name)
    if not isinstance(x, np.ndarray):
        raise ValueError(f"{name}: expected (n, dim), found {type(x).__name__}")
    if x.dtype.kind not in "fiu":
        raise ValueError(f"{name}: expected real numbers, found {x.dtype}")
    if x.ndim != 2 or x.shape[1] == 0:
        raise ValueError(f"{name}: expected (n, dim), found {x.shape}")
    given = x
    with np.errstate(over="ignore"):
        x = np.require(given, dtype=np.float32, requirements=["C", "W"])
    if x.dtype != given.dtype and (lost := int((given.any(axis=1) & ~x.any(axis=1)).sum())):
        raise ValueError(f"{name}: {lost} of {len(x)} rows are 0 in float32: rescale the matrix")
    if bad := int((~np.isfinite(x)).any(axis=1).sum()):
        raise ValueError(f"{name}: {bad} of {len(x)} rows hold NaN or infinity, in float32")
    return x


def checked_norms(x: np.ndarray, name: str) -> np.ndarray:
    """Return the norms of the rows of `x` in float64.

    Raises:
        ValueError: a norm is not zero and outside the range that the scan can hold.
    """
    row_norms = norms(x)
    present = row_norms[row_norms > 0]
    if bad := int(((present < SMALLEST_NORM) | (present > LARGEST_NORM)).sum()):
        raise ValueError(
            f"{name}: expected norms of {SMALLEST_NORM:g} to {LARGEST_NORM:g}, found {bad} of "
            f"{len(x)} outside ({present.min():g} to {present.max():g}): rescale the matrix"
        )
    return row_norms


def rows_with_direction(x: np.ndarray, row_norms: np.ndarray, groups: np.ndarray) -> Rows:
    """Return the nonzero rows of `x`."""
    numbers = np.flatnonzero(row_norms)
    if len(numbers) < len(x):
        x, row_norms, groups = x[numbers], row_norms[numbers], groups[:, numbers]
    inverse_norms = (1 / row_norms).astype(np.float32)
    squared_norms = np.square(row_norms).astype(np.float32)
    return Rows(x, row_norms, inverse_norms, squared_norms, numbers, groups)
