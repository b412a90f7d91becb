"""Reads vectors of other programs, with the names of the rows; nothing is ever unpickled."""

import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.errors import InputError
from embspace.files.dimensions import dimensions_and_labels
from embspace.files.formats.arrays import ARRAYS
from embspace.files.formats.endings import GZIP, SEPARATORS, ending_of
from embspace.files.formats.number_tables import TABLES, table_of
from embspace.geometry.pairs.square_memory import check_square


@dataclass(frozen=True, eq=False)
class LabeledVectors:
    """Vectors of a file, with row names if the file has names."""

    vectors: Float[np.ndarray, "row dim"]
    labels: pd.DataFrame | None
    """`label`, and `group` if present; strings."""


def read_vectors(
    path: str | Path, *, header: bool | None = None, separator: str | None = None
) -> Float[np.ndarray, "row dim"]:
    """The vectors of a file, float32; see `read_labeled_vectors`."""
    return read_labeled_vectors(path, header=header, separator=separator).vectors


def read_labeled_vectors(
    path: str | Path, *, header: bool | None = None, separator: str | None = None
) -> LabeledVectors:
    """Return the vectors of a file, float32, with row names.

    An .npy or .npz with one array, a .safetensors with one tensor, or a table, .csv, .tsv, .jsonl,
    .json, .parquet or .arrow: one column per dimension, or one column of lists. The columns token,
    label, group and id of a table, row names and row numbers are no dimensions. A .csv without a
    line of names may start with numbers; `header` says whether names come first. Cells may have
    decimal commas, and are separated by `separator`, by default as declared or shown in the file.

    Raises:
        InputError: naming found and allowed: an unknown ending, several arrays or none, objects or
            anything but real numbers, a shape other than (row, dim), NaN, infinity.
    """
    file = Path(path).expanduser()
    ending = ending_of(file.name)
    plain = ending.removesuffix(GZIP)
    is_table = plain in TABLES or file.is_dir()
    if not is_table and ending not in ARRAYS:
        allowed = ", ".join((*ARRAYS, *TABLES))
        raise InputError(f"{path}: found the ending '{ending}', allowed: {allowed}")
    if plain not in SEPARATORS and (header is not None or separator is not None):
        option = "--header" if header is not None else "--separator"
        raise InputError(f"{path}: found {option}, allowed: for {' and '.join(SEPARATORS)}")
    if not file.exists():
        raise InputError(f"{path}: not found")
    try:
        if is_table:
            dimensions, labels = dimensions_and_labels(table_of(file, header, separator), str(path))
            return LabeledVectors(checked_vectors(dimensions, str(path)), labels)
        return LabeledVectors(checked_vectors(ARRAYS[ending](file), str(path)), None)
    except (OSError, EOFError, ValueError, MemoryError, zipfile.BadZipFile) as error:
        raise InputError(f"{path}: cannot be read: {_first_line(error)}") from error


def checked_vectors(x: np.ndarray, place: str) -> Float[np.ndarray, "row dim"]:
    """`x` as finite float32 vectors: a matrix of two rows and dimensions or more.

    Raises:
        InputError: naming `place`, found and allowed.
    """
    if x.dtype.kind not in "fiu":
        raise InputError(f"{place}: found {x.dtype} values, allowed: floating-point or integers")
    if x.ndim != 2 or min(x.shape) < 2:
        raise InputError(
            f"{place}: found the shape {x.shape}, allowed: (row, dim), two or more of each"
        )
    try:
        check_square(x.shape[1])
    except ValueError as error:
        raise InputError(f"{place}: {error}") from None
    with np.errstate(over="ignore"):  # told below
        vectors = np.ascontiguousarray(x, dtype=np.float32)
    bad = ~np.isfinite(vectors).all(axis=1)
    if bad.any():
        raise InputError(
            f"{place}: found {int(bad.sum())} rows with NaN, infinity or what is beyond float32, "
            f"the first is row {int(bad.argmax())}; allowed: finite numbers"
        )
    return vectors


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__
