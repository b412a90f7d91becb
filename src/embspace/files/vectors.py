"""Vectors that somebody else wrote, and what their rows are called; nothing is ever unpickled."""

import csv
import json
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.errors import InputError
from embspace.geometry.pairs.square_memory import GIB, available_memory, check_square

# Columns of a table that are no dimension: what a row is.
LABELS = ("token", "label")
GROUP = "group"
NO_DIMENSION = (*LABELS, GROUP, "id")
LABEL_ENDINGS = (".csv", ".jsonl", ".parquet")
NO_INDEX = "; a column without a name may be an index: write the table without it"


def read_vectors(path: str | Path) -> Float[np.ndarray, "row dim"]:
    """The vectors of a file, float32.

    An .npy or .npz with one array, a .safetensors with one tensor, or a table, .csv or .parquet:
    a column a dimension, or of parquet one column of lists. The columns token, label, group and id
    of a table are no dimensions. A .csv without a line of names may start with numbers.

    Raises:
        InputError: naming what was found and what is allowed: another ending, several arrays or
            none, objects or what is no real number, another shape than (row, dim), NaN, infinity.
    """
    file = Path(path).expanduser()
    if file.suffix not in _READERS:
        raise InputError(
            f"{path}: found the ending '{file.suffix}', allowed: {', '.join(_READERS)}"
        )
    if not file.is_file():
        raise InputError(f"{path}: not found")
    try:
        x = _READERS[file.suffix](file)
    except (OSError, EOFError, ValueError, csv.Error, MemoryError, zipfile.BadZipFile) as error:
        raise InputError(f"{path}: cannot be read: {_first_line(error)}") from error
    return checked_vectors(x, str(path))


def checked_vectors(x: np.ndarray, place: str) -> Float[np.ndarray, "row dim"]:
    """`x` as float32 vectors, if it is a matrix of two rows and dimensions or more, and finite.

    Raises:
        InputError: naming `place`, what was found and what is allowed.
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


def read_labels(path: str | Path) -> pd.DataFrame:
    """Return the rows' names: `label`, and `group` where the file has one; both strings, in order.

    A .csv, .jsonl or .parquet with a column token or label.

    Raises:
        InputError: for another ending, no such column, or a row that lacks one.
    """
    file = Path(path).expanduser()
    if file.suffix not in LABEL_ENDINGS:
        raise InputError(
            f"{path}: found the ending '{file.suffix}', allowed: {', '.join(LABEL_ENDINGS)}"
        )
    if not file.is_file():
        raise InputError(f"{path}: not found")
    try:
        table = _read_table(file)
    except (OSError, ValueError, csv.Error, MemoryError, RecursionError) as error:
        raise InputError(f"{path}: cannot be read: {_first_line(error)}") from error
    named = [column for column in LABELS if column in table]
    if len(named) != 1:
        raise InputError(
            f"{path}: found the columns {', '.join(map(str, table))}, allowed: one of "
            f"{' or '.join(LABELS)}, and {GROUP}"
        )
    labels = pd.DataFrame({"label": table[named[0]]})
    if GROUP in table:
        labels["group"] = table[GROUP]
    empty = labels.isna() | (labels.astype(str) == "")
    for column in labels:
        if empty[column].any():
            found = named[0] if column == "label" else GROUP
            raise InputError(
                f"{path}: column '{found}': row {int(empty[column].argmax())} is empty"
            )
    return labels.astype(str)


def _npy(file: Path) -> np.ndarray:
    with file.open("rb") as stream:
        return np.lib.format.read_array(stream, allow_pickle=False)


def _npz(file: Path) -> np.ndarray:
    if not zipfile.is_zipfile(file):  # NumPy would take an .npy under this name
        raise InputError(f"{file}: is no .npz archive")
    with zipfile.ZipFile(file) as archive:
        size, available = sum(each.file_size for each in archive.infolist()), available_memory()
    if size > available:
        raise InputError(
            f"{file}: needs {size / GIB:.1f} GiB of memory, {available / GIB:.1f} GiB are available"
        )
    with np.load(file, allow_pickle=False) as arrays:
        name = _only(list(arrays.files), "arrays", file)
        array: object = arrays[name]
    if not isinstance(array, np.ndarray):
        raise InputError(f"{file}: found '{name}', which is no array; allowed: one array")
    return array


def _safetensors(file: Path) -> np.ndarray:
    from safetensors import SafetensorError, safe_open

    try:
        # By way of torch, which knows bfloat16.
        with safe_open(file, framework="pt") as tensors:
            tensor = tensors.get_tensor(_only(list(tensors.keys()), "tensors", file))
    except SafetensorError as error:
        raise InputError(f"{file}: is no whole safetensors file: {error}") from error
    return np.asarray((tensor.float() if tensor.is_floating_point() else tensor).numpy())


def _only(names: list[str], what: str, file: Path) -> str:
    if len(names) != 1:
        raise InputError(
            f"{file}: found {len(names)} {what}: {', '.join(sorted(names)) or 'none'}; allowed: one"
        )
    return names[0]


def _dimensions(file: Path) -> np.ndarray:
    """The columns of a table that are numbers, or its one column of lists."""
    table = _read_table(file)
    table = table[[column for column in table if column not in NO_DIMENSION]]
    if len(table.columns) == 1 and table.dtypes.iloc[0].kind == "O":
        return _stacked(table.iloc[:, 0].tolist(), file)
    for column in table:
        found = table[column].dtype
        if not pd.api.types.is_numeric_dtype(found) or pd.api.types.is_bool_dtype(found):
            raise InputError(
                f"{file}: column '{column}': found {found} values, allowed: numbers; "
                f"no dimensions are {', '.join(NO_DIMENSION)}"
            )
        if str(column).startswith("Unnamed: "):
            raise InputError(f"{file}: a column has no name: is it an index, and no dimension?")
    return table.to_numpy(dtype=np.float64, na_value=np.nan)


def _stacked(rows: list[Any], file: Path) -> np.ndarray:
    lengths = sorted({np.size(row) for row in rows})
    if len(lengths) > 1:
        raise InputError(f"{file}: found rows of {lengths} numbers, allowed: of one length")
    return np.array([np.asarray(row) for row in rows])


def _read_table(file: Path) -> pd.DataFrame:
    if file.suffix == ".parquet":
        return pd.read_parquet(file)
    if file.suffix == ".jsonl":
        lines = file.read_text(encoding="utf-8").splitlines()
        return pd.DataFrame([json.loads(line) for line in lines])
    return _read_csv(file)


def _read_csv(file: Path) -> pd.DataFrame:
    """Return a table whose first line has the names of the columns, unless it is of numbers.

    Raises:
        InputError: if the first line is of numbers and words, and so may be either.
    """
    with file.open(encoding="utf-8-sig", newline="") as stream:  # Excel writes a mark in front
        names, n_before = _first_row(stream)
    dimensions = [name for name in names if name not in NO_DIMENSION]
    # A frame whose columns were never named has been written with 0, 1, 2, ...
    is_counted = dimensions == [str(number) for number in range(len(dimensions))]
    numbers = [name for name in dimensions if _is_number(name)]
    if 0 < len(numbers) < len(dimensions) and not is_counted:
        other = next(name for name in dimensions if not _is_number(name))
        raise InputError(
            f"{file}, line {n_before + 1}: found '{numbers[0]}' and '{other}'; allowed: numbers "
            "alone, or names of columns alone" + NO_INDEX * (not other)
        )
    return pd.read_csv(
        file,
        skiprows=n_before,
        header="infer" if is_counted or not all(map(_is_number, names)) else None,
        dtype=dict.fromkeys(NO_DIMENSION, str),  # "007" stays what it is
        keep_default_na=False,  # words such as "nan" and "null" stay words
        na_values=[""],
        encoding="utf-8-sig",
    )


def _first_row(stream: Iterable[str]) -> tuple[list[str], int]:
    """Return the first row that is not blank, and the number of lines before it.

    The row itself may take several lines: a quoted name may have line breaks.
    """
    reader, n_before = csv.reader(stream), 0
    for row in reader:
        if any(map(str.strip, row)):
            return row, n_before
        n_before = reader.line_num
    return [], n_before


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__


_READERS: dict[str, Callable[[Path], np.ndarray]] = {
    ".npy": _npy,
    ".npz": _npz,
    ".safetensors": _safetensors,
    ".csv": _dimensions,
    ".parquet": _dimensions,
}
