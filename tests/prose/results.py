"""Finds the number in results/ that a mark names."""

import re
import shlex
from collections.abc import Callable, Iterable
from decimal import Decimal, InvalidOperation
from pathlib import Path

from embspace.published.contents import Cell, Contents, read_contents

OWNERS = ("minilm", "toy")  # whose file a mark means: the default model's, else a toy's
CONDITION = re.compile(r"(?P<column>[^=<>]+)(?P<sign>[=<>])(?P<value>.*)")
OF_ROWS = re.compile(r"(?P<name>min|max|sum)\((?P<column>.+)\)")
FUNCTIONS: dict[str, Callable[[Iterable[Decimal]], Decimal]] = {
    "min": min,
    "max": max,
    "sum": lambda cells: sum(cells, Decimal(0)),
}
FACTOR = re.compile(r"x[\d.e+-]+")
Row = dict[str, Cell]


class MarkError(Exception):
    """A mark that names no number, or more than one."""


class Results:
    """The tables of a folder of results, each read once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._read: dict[str, Contents] = {}

    def table(self, name: str) -> Contents:
        """Return the table that a mark names: `positions/profiles.csv`, or a run's own file."""
        if name not in self._read:
            place = self.folder / Path(name).with_suffix("")
            files = [place / f"{owner}{Path(name).suffix}" for owner in OWNERS]
            files.append(self.folder / name)
            file = next((file for file in files if file.is_file()), None)
            if file is None:
                raise MarkError(f"there is no results/{name}, of {' or '.join(OWNERS)}")
            self._read[name] = read_contents(file)
        return self._read[name]

    def number(self, mark: str) -> Decimal:
        """Return the number that a mark names.

        Raises:
            MarkError: if it does not name one.
        """
        name, quantity, *words = _words(mark)
        factor = Decimal(words.pop()[1:]) if words and FACTOR.fullmatch(words[-1]) else 1
        table = self.table(name)
        rows = table.rows
        for word in words:
            rows = tuple(filter(_condition(word, table.columns), rows))
        return _quantity(quantity, table.columns, rows) * factor


def _words(mark: str) -> list[str]:
    try:
        words = shlex.split(mark)
    except ValueError as error:
        raise MarkError(f"cannot be read: {error}") from None
    if len(words) < 2:
        raise MarkError("expected a file, a column and the cells that choose a row")
    return words


def _condition(word: str, columns: tuple[str, ...]) -> Callable[[Row], bool]:
    parts = CONDITION.fullmatch(word)
    if not parts:
        raise MarkError(f"{word!r}: expected column=value, column<value or column>value")
    column, sign, value = parts.groups()
    _check_column(column, columns)
    if sign == "=":
        return lambda row: _is_meant(str(row[column]), value)
    side = 1 if sign == ">" else -1
    return lambda row: (
        row[column] != "" and side * _decimal(row[column]) > side * _decimal(row.get(value, value))
    )


def _is_meant(cell: str, value: str) -> bool:
    return cell.startswith(value[:-1]) if value.endswith("*") else cell == value


def _check_column(column: str, columns: tuple[str, ...]) -> None:
    if column not in columns:
        raise MarkError(f"there is no column {column!r}; allowed: {', '.join(columns)}")


def _quantity(quantity: str, columns: tuple[str, ...], rows: tuple[Row, ...]) -> Decimal:
    if quantity == "rows()":
        return Decimal(len(rows))
    call = OF_ROWS.fullmatch(quantity)
    column = call["column"] if call else quantity
    _check_column(column, columns)
    if call and rows:
        return FUNCTIONS[call["name"]](_decimal(row[column]) for row in rows)
    if len(rows) != 1:
        raise MarkError(f"expected one row, found {len(rows)}")
    return _decimal(rows[0][column])


def _decimal(cell: Cell) -> Decimal:
    try:
        return Decimal(str(cell))
    except InvalidOperation:
        raise MarkError(f"expected a number, found {cell!r}") from None
