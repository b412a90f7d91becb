"""Vectors from other programs, and the names of the rows; nothing is ever unpickled."""

import re
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.errors import InputError
from embspace.files.formats.arrow_rows import arrow_table, saved_files
from embspace.files.formats.cells import checked_separator, declared_separator
from embspace.files.formats.encodings import advice
from embspace.files.formats.endings import (
    ARROW,
    GZIP,
    JSON,
    JSON_LINES,
    PARQUET,
    SEPARATORS,
    ending_of,
)
from embspace.files.formats.number_cells import N_FIRST, NumberTable, likely_separator, number_table
from embspace.files.formats.row import NoRow
from embspace.files.formats.rows import rows_of
from embspace.files.formats.streams import NotUtf8Error, lines_of, opened
from embspace.geometry.pairs.square_memory import GIB, available_memory, check_square

# Columns of a table that are no dimension: what a row is.
LABELS = ("token", "label")
GROUP = "group"
NO_DIMENSION = (*LABELS, GROUP, "id")
# A column of numbers with such a name counts rows, and is no dimension.
IDENTITY = re.compile(
    r"(.*[_\-. ])?(id|ids|index|idx|row|nr|no|uid|uuid|pk)|(doc|text|row|item|word|token)id", re.I
)
TABLES = (*SEPARATORS, *JSON_LINES, JSON, PARQUET, ARROW)
LABEL_ENDINGS = tuple(TABLES)
PICKLED = (
    "found objects, which are read by unpickling alone, and that may run code; write numbers: "
    "np.save(path, np.asarray(x, dtype=np.float32))"
)


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
    if not is_table and ending not in _ARRAYS:
        allowed = ", ".join((*_ARRAYS, *TABLES))
        raise InputError(f"{path}: found the ending '{ending}', allowed: {allowed}")
    if plain not in SEPARATORS and (header is not None or separator is not None):
        option = "--header" if header is not None else "--separator"
        raise InputError(f"{path}: found {option}, allowed: for {' and '.join(SEPARATORS)}")
    if not file.exists():
        raise InputError(f"{path}: not found")
    try:
        if is_table:
            labeled = _labeled(_table_of(file, header, separator), str(path))
            return LabeledVectors(checked_vectors(labeled[0], str(path)), labeled[1])
        return LabeledVectors(checked_vectors(_ARRAYS[ending](file), str(path)), None)
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


def read_labels(path: str | Path) -> pd.DataFrame:
    """Return the rows' names: `label`, and `group` if the file has groups; strings, in order.

    A .csv, .tsv, .jsonl, .json, .parquet or .arrow with a column token or label.

    Raises:
        InputError: for an unknown ending, a missing column, or a row without a label.
    """
    file = Path(path).expanduser()
    ending = ending_of(file.name)
    if ending.removesuffix(GZIP) not in TABLES:
        raise InputError(
            f"{path}: found the ending '{ending}', allowed: {', '.join(LABEL_ENDINGS)}"
        )
    rows: list[dict[str, Any]] = []
    try:
        with opened(file) as stream:
            for line, row in rows_of(stream, ending, str(path)):
                if isinstance(row, NoRow):
                    raise InputError(f"{path}: cannot be read: line {line}: {row.reason}")
                rows.append(row)
    except NotUtf8Error as error:
        raise InputError(f"{path}: {error}{_advice(file)}") from None
    table = pd.DataFrame(rows)
    named = [column for column in LABELS if column in table]
    if len(named) != 1:
        raise InputError(
            f"{path}: found the columns {', '.join(map(str, table))}, allowed: one of "
            f"{' or '.join(LABELS)}, and {GROUP}"
        )
    labels = pd.DataFrame({"label": table[named[0]]})
    if GROUP in table:
        labels["group"] = table[GROUP]
    _check_labels(labels, named[0], str(path))
    return labels.astype(str)


def _check_labels(labels: pd.DataFrame, name: str, path: str) -> None:
    empty = labels.isna() | (labels.astype(str) == "")
    for column in labels:
        if empty[column].any():
            called = name if column == "label" else GROUP
            raise InputError(
                f"{path}: column '{called}': row {int(empty[column].argmax())} is empty"
            )


def _advice(file: Path) -> str:
    with opened(file) as stream:
        return advice(file, stream.read())


def _npy(file: Path) -> np.ndarray:
    with file.open("rb") as stream:
        if stream.peek(1)[:1] == b"\x80":  # of a pickle
            raise InputError(f"{file}: is no .npy, and begins as a pickle; {PICKLED}")
        try:
            return np.lib.format.read_array(stream, allow_pickle=False)
        except ValueError as error:
            if "Object arrays" not in str(error):
                raise
            raise InputError(f"{file}: {PICKLED}") from None


def _npz(file: Path) -> np.ndarray:
    if not zipfile.is_zipfile(file):  # NumPy would take an .npy under this name
        raise InputError(f"{file}: is no .npz archive")
    with zipfile.ZipFile(file) as archive:
        size, available = sum(member.file_size for member in archive.infolist()), available_memory()
    if size > available:
        raise InputError(
            f"{file}: needs {size / GIB:.1f} GiB of memory, {available / GIB:.1f} GiB are available"
        )
    with np.load(file, allow_pickle=False) as arrays:
        name = _only(list(arrays.files), "arrays", file)
        try:
            array: object = arrays[name]
        except ValueError as error:
            if "Object arrays" not in str(error):
                raise
            raise InputError(f"{file}: {PICKLED}") from None
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


def _table_of(file: Path, header: bool | None, separator: str | None) -> NumberTable:
    """Return the numbers and words of a table."""
    ending = ending_of(file.name)
    plain = ending.removesuffix(GZIP)
    if file.is_dir():
        files = saved_files(file)
        if not files:
            raise InputError(f"{file}: is a folder; allowed: a file")
        return _frame_numbers(pd.concat([_frame_of(part, ARROW) for part in files]), file)
    if plain not in SEPARATORS:
        return _frame_numbers(_frame_of(file, ending), file)
    given = None if separator is None else checked_separator(separator, str(file))
    with opened(file) as stream:
        try:
            declared, lines = declared_separator(lines_of(stream))
        except NotUtf8Error as error:
            raise InputError(f"{file}: {error}{_advice(file)}") from None
        first = list(islice(lines, N_FIRST))
        used = given or declared or likely_separator(first, SEPARATORS[plain])
        return number_table(chain(first, lines), used, str(file), header=header, known=NO_DIMENSION)


def _frame_of(file: Path, ending: str) -> pd.DataFrame:
    """Return a table of typed columns; the names of rows are the index."""
    with opened(file) as stream:
        if ending == PARQUET:
            return pd.read_parquet(file)
        if ending == ARROW:
            return arrow_table(stream, str(file)).to_pandas()
        rows = list(rows_of(stream, ending, str(file)))
    for line, row in rows:
        if isinstance(row, NoRow):
            raise InputError(f"{file}, line {line}: {row.reason}")
    return pd.DataFrame([row for _, row in rows])


def _frame_numbers(table: pd.DataFrame, file: Path) -> NumberTable:
    """Return typed columns as numbers and words; a column of lists has all the numbers."""
    row_names = None
    if not isinstance(table.index, pd.RangeIndex):
        row_names = [
            " / ".join(map(str, name)) if isinstance(name, tuple) else str(name)
            for name in table.index
        ]
    lists = [name for name in table if _has_lists(table[name])]
    numeric = [
        name
        for name in table
        if pd.api.types.is_numeric_dtype(table[name])
        and not pd.api.types.is_bool_dtype(table[name])
    ]
    others = [name for name in table if name not in (*numeric, *lists)]
    words = {str(name): table[name].map(_as_word).tolist() for name in (*others, *_known(numeric))}
    if lists:
        if len(lists) > 1:
            named = ", ".join(map(str, lists))
            raise InputError(f"{file}: found the columns of lists {named}, allowed: one")
        words |= {str(name): table[name].map(_as_word).tolist() for name in numeric}
        numbers = _stacked(table[lists[0]].tolist(), file)
        return NumberTable(numbers, None, words, row_names)
    for name in others:
        if str(name).lower() not in NO_DIMENSION:
            raise InputError(
                f"{file}: column '{name}': found {table[name].dtype} values, allowed: numbers; "
                f"no dimensions are {', '.join(NO_DIMENSION)}"
            )
    kept = [name for name in numeric if str(name).lower() not in NO_DIMENSION]
    numbers = table[kept].to_numpy(dtype=np.float64, na_value=np.nan)
    return NumberTable(numbers, [str(name) for name in kept], words, row_names)


def _known(names: Sequence[object]) -> list[object]:
    return [name for name in names if str(name).lower() in NO_DIMENSION]


def _has_lists(column: pd.Series) -> bool:
    return bool(len(column)) and column.dtype.kind == "O" and np.ndim(column.iloc[0]) > 0


def _as_word(value: object) -> str:
    return "" if value is None or value is pd.NA or value != value else str(value)


def _stacked(rows: list[Any], file: Path) -> np.ndarray:
    lengths = sorted({np.size(row) for row in rows})
    if len(lengths) > 1:
        raise InputError(f"{file}: found rows of {lengths} numbers, allowed: of one length")
    return np.array([np.asarray(row) for row in rows])


def _labeled(table: NumberTable, path: str) -> tuple[np.ndarray, pd.DataFrame | None]:
    """Return the dimensions of a table, and the row names; None without names.

    Raises:
        InputError: naming a column that is neither a dimension nor a name.
    """
    words = {name.lower(): column for name, column in table.words.items()}
    x, names, identities = table.numbers, table.names, dict[str, list[str]]()
    for name in words.keys() - {*NO_DIMENSION}:
        if names is not None:
            raise InputError(
                f"{path}: column '{name}': found str values, allowed: numbers; no dimensions are "
                f"{', '.join(NO_DIMENSION)}"
            )
    if names is not None:
        kept = []
        for place, name in enumerate(names):
            if IDENTITY.fullmatch(name) and not name.isdigit():
                identities[name] = _numbers_of_rows(path, name, x[:, place])
            elif not name or name.startswith("Unnamed: "):
                _check_index(path, x[:, place], place)
            else:
                kept.append(place)
        _check_alike([names[place] for place in kept], path)
        x = x[:, kept]
    named = [name for name in LABELS if name in words]
    if len(named) > 1:
        raise InputError(f"{path}: found the columns {', '.join(named)}, allowed: one of them")
    label = words[named[0]] if named else table.row_names or words.get("id")
    label = label or next(iter(identities.values()), None)
    if label is None and GROUP not in words:
        return x, None
    labels = pd.DataFrame({"label": label or [str(row) for row in range(len(x))]})
    if GROUP in words:
        labels["group"] = words[GROUP]
    _check_labels(labels, named[0] if named else "names of rows", path)
    return x, labels.astype(str)


def _numbers_of_rows(path: str, name: str, column: np.ndarray) -> list[str]:
    """Return the row numbers from a column named like row numbers.

    Raises:
        InputError: if a number has a fraction, or is repeated.
    """
    if len(np.unique(column)) < len(column) or (column != np.round(column)).any():
        raise InputError(
            f"{path}: column '{name}': found no number a row, allowed: different whole numbers, or "
            "another name if it is a dimension"
        )
    return [str(int(value)) for value in column]


def _check_index(path: str, column: np.ndarray, place: int) -> None:
    """Stop at a column without a name, unless it counts rows, as pandas' index does."""
    if place or not np.isin(np.diff(column), 1).all():
        raise InputError(f"{path}: a column has no name: is it an index, and no dimension?")


def _check_alike(names: list[str], path: str) -> None:
    """Stop at a column of numbers with a different kind of name than the remaining columns.

    Raises:
        InputError: naming the column.
    """
    stems = [re.sub(r"\d+$", "", name) if re.search(r"\d$", name) else None for name in names]
    counts = Counter(stem for stem in stems if stem is not None)
    stem, n = counts.most_common(1)[0] if counts else ("", 0)
    if n < 3 or n == len(names):
        return
    odd = next(name for name, other in zip(names, stems, strict=True) if other != stem)
    alike = [name for name, other in zip(names, stems, strict=True) if other == stem]
    raise InputError(
        f"{path}: column '{odd}': others are called {alike[0]} … {alike[-1]}; is it a dimension? "
        "One that is none is called label, group or id"
    )


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__


_ARRAYS: dict[str, Callable[[Path], np.ndarray]] = {
    ".npy": _npy,
    ".npz": _npz,
    ".safetensors": _safetensors,
}
