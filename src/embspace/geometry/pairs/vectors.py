"""Takes arrays in any usual form, and refuses input that no function can take."""

import math
from typing import Any

import numpy as np
from jaxtyping import Float, Shaped

# Squares and fourth powers, and sums of them, stay far inside float64; as in the scan of pairs.
SMALLEST, LARGEST = 1e-15, 1e15
LOST = "expected vectors, (n, dim), found rows of several lengths"


def as_vectors(x: Any, name: str = "x") -> Any:
    """Return vectors as a float64 array; sums or a graph of vectors go through unchanged.

    Errors call the vectors `name`.

    Raises:
        ValueError: as `as_array`, `real_numbers` and `checked_numbers`; not of two dimensions, or
            without a row or a column; a text, a dictionary and the like.
    """
    given, x = x, as_array(x, name)
    if type(x).__module__ == "builtins":
        raise ValueError(f"{name}: expected vectors, (n, dim), found {type(given).__name__}")
    if not isinstance(x, np.ndarray):
        return x
    if x.ndim != 2 or not x.size:
        raise ValueError(f"{name}: expected vectors, (n, dim), found shape {x.shape}")
    return checked_numbers(real_numbers(x, name), name)


def as_array(x: Any, name: str = "x") -> Any:
    """Return the array of a tensor, data frame, series or nested lists; anything else unchanged.

    Tensors may lie on any device, have a history and be of any type; float types that NumPy lacks,
    or with few digits, become float64.

    Raises:
        ValueError: objects that look like arrays but are not: a masked array, with missing values;
            a sparse matrix; `np.matrix`, with a different product; a tensor without values; rows of
            several lengths.
    """
    if isinstance(x, np.ma.MaskedArray):
        raise ValueError(
            f"{name}: expected vectors, found a masked array: fill or leave out its rows"
        )
    if isinstance(x, np.matrix):
        raise ValueError(f"{name}: expected an array, found np.matrix: take np.asarray of it")
    if hasattr(x, "nnz") and hasattr(x, "shape") and not isinstance(x, np.ndarray):
        raise ValueError(f"{name}: expected an array, found a sparse matrix: take .toarray() of it")
    if hasattr(x, "detach"):  # a tensor, without importing torch to know
        return _tensor_values(x, name)
    if isinstance(x, np.ndarray):
        return _unpacked(x, name)
    if hasattr(x, "to_numpy"):
        return _unpacked(_frame_values(x), name)
    if isinstance(x, (list, tuple)) and not hasattr(x, "_fields"):
        return _array_of_rows(x, name)
    if isinstance(x, np.generic) or not (isinstance(x, memoryview) or _has_values(x)):
        return x
    try:
        return np.asarray(x)
    except Exception as error:  # of a type that somebody else has written
        raise ValueError(f"{name}: expected an array, found {type(x).__name__}: {error}") from error


def _has_values(x: Any) -> bool:
    return hasattr(x, "__array__") or hasattr(x, "__array_interface__")


def real_numbers(
    x: Shaped[np.ndarray, "..."], name: str, *, single: bool = False
) -> Float[np.ndarray, "..."]:
    """Return real numbers of any type in float64, row after row in memory; copies only if needed.

    `single`: numbers in float32 stay float32.

    Raises:
        ValueError: complex numbers, texts, dates, objects, truth values.
    """
    if x.dtype.kind not in "fiu":
        raise ValueError(f"{name}: expected real numbers, found {x.dtype}")
    kept = np.float32 if single and x.dtype == np.float32 else np.float64
    with np.errstate(over="ignore"):  # of a longer type: infinity, which is refused
        return np.asarray(x, dtype=kept, order="C")


def whole_numbers(x: Shaped[np.ndarray, "..."], name: str) -> np.ndarray:
    """Return whole numbers of any type in int64: differences of short types would wrap around.

    Raises:
        ValueError: of any other type.
    """
    if x.dtype.kind not in "iu":
        raise ValueError(f"{name}: expected whole numbers, found {x.dtype}")
    return np.asarray(x, dtype=np.int64, order="C")


def checked_numbers(
    x: Float[np.ndarray, "..."], name: str, *, moderate: bool = True
) -> Float[np.ndarray, "..."]:
    """Return `x`, all finite and, if `moderate`, such that fourth powers are in range.

    Raises:
        ValueError: NaN or infinity, or a largest magnitude that is neither 0 nor in range.
    """
    if not x.size:
        return x
    largest = max(float(x.max()), -float(x.min()))
    if not math.isfinite(largest):
        row = int(np.argwhere(~np.isfinite(x))[0, 0])
        raise ValueError(f"{name}: expected finite values, found NaN or infinity in row {row}")
    if moderate and largest and not SMALLEST <= largest <= LARGEST:
        raise ValueError(
            f"{name}: expected a largest magnitude of {SMALLEST:g} to {LARGEST:g}, found "
            f"{largest:g}: rescale the {'matrix' if x.ndim > 1 else 'values'}"
        )
    return x


def _tensor_values(x: Any, name: str) -> np.ndarray:
    if getattr(x, "is_quantized", False):
        x = x.dequantize()
    if getattr(x, "is_nested", False):
        raise ValueError(f"{name}: {LOST}")
    if "strided" not in str(getattr(x, "layout", "strided")):
        raise ValueError(
            f"{name}: expected an array, found a sparse tensor: take .to_dense() of it"
        )
    if getattr(x, "is_meta", False):
        raise ValueError(f"{name}: expected an array, found a tensor without values")
    x = x.detach().cpu()
    if x.is_floating_point() and str(x.dtype) != "torch.float32":
        x = x.double()  # NumPy lacks bfloat16
    return np.asarray(x.resolve_conj().resolve_neg().numpy())


def _frame_values(x: Any) -> np.ndarray:
    """Return the values of a data frame, a series or an index; numbers that are missing are NaN."""
    values = np.asarray(x.to_numpy())
    if values.dtype != object or not hasattr(x, "memory_usage"):
        return values
    from pandas.api.types import is_bool_dtype, is_numeric_dtype  # whose object `x` is

    types = x.dtypes if values.ndim == 2 else [x.dtype]
    if all(is_numeric_dtype(kind) and not is_bool_dtype(kind) for kind in types):
        return np.asarray(x.to_numpy(dtype=np.float64, na_value=np.nan))
    return values


def _unpacked(x: np.ndarray, name: str) -> np.ndarray:
    """Return `x`, or the matrix of an array of arrays, as a column of vectors has them."""
    if x.dtype == object and x.ndim == 1 and len(x) and _is_row(x[0]):
        return _array_of_rows(x.tolist(), name)
    return x


def _is_row(x: Any) -> bool:
    return isinstance(x, (list, tuple, np.ndarray)) or hasattr(x, "detach")


def _array_of_rows(x: list[Any] | tuple[Any, ...], name: str) -> np.ndarray:
    if any(not isinstance(row, (list, tuple, int, float, str, np.generic)) for row in x):
        x = [as_array(row, name) for row in x]
    try:
        return np.array(x)
    except (ValueError, TypeError, RuntimeError):  # NumPy says "inhomogeneous shape"
        raise ValueError(f"{name}: {LOST}") from None
