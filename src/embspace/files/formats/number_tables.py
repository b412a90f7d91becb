"""Reads a table of numbers, of cells or of typed columns: what is a number, and what a word."""

from collections.abc import Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

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

TABLES = (*SEPARATORS, *JSON_LINES, JSON, PARQUET, ARROW)
# Columns of a table that are no dimension: what a row is.
LABELS = ("token", "label")
GROUP = "group"
NO_DIMENSION = (*LABELS, GROUP, "id")


def table_of(file: Path, header: bool | None, separator: str | None) -> NumberTable:
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
            with opened(file) as again:
                raise InputError(f"{file}: {error}{advice(file, again.read())}") from None
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
