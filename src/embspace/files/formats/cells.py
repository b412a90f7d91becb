"""Rows of cells, as in .csv and .tsv, in the variants that Excel, Spark and people write."""

import csv
import re
from collections.abc import Collection, Iterable, Iterator
from itertools import chain

from embspace.errors import InputError, counted
from embspace.files.formats.row import NoRow, NumberedRow, foreign_byte

LONGEST_CELL = 2**31 - 1  # a text is one cell, however long
# Excel's first line of a file whose cells another character separates.
DECLARED = re.compile(r'"?sep=([^\r\n])"?\r?\n?', re.IGNORECASE)
ESCAPED = '\\"'
BARE = re.compile(r'\\"(?!")')
TAB = r"\t"
NumberedCells = tuple[int, list[str] | NoRow]


def checked_separator(separator: str, where: str) -> str:
    r"""Return the character between cells; \t, written out, is a tab.

    Raises:
        InputError: naming `where`, if the character cannot stand between cells.
    """
    one = "\t" if separator == TAB else separator
    if len(one) != 1 or one in '"\r\n\0':
        raise InputError(
            f"{where}: found the separator {separator!r}, allowed: one character, but no quote or "
            "line break, for .csv and .tsv"
        )
    return one


class _Lines:
    """Hands out lines, and keeps the lines of the current row."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines, self.row_lines = iter(lines), list[str]()

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.row_lines.append(line)
        return line


def declared_separator(lines: Iterable[str]) -> tuple[str | None, Iterator[str]]:
    """Return the separator that a first line `sep=;` declares, and all lines, the first emptied."""
    rest = iter(lines)
    first = next(rest, None)
    if first is None:
        return None, rest
    if declared := DECLARED.fullmatch(first):
        return declared[1], chain(["\n"], rest)
    return None, chain([first], rest)


def numbered_cells(lines: Iterable[str], separator: str) -> Iterator[NumberedCells]:
    """Yield the cells of rows with the number of the first line; blank lines have none.

    A malformed line has a reason instead, and reading goes on behind.
    """
    csv.field_size_limit(LONGEST_CELL)
    source = _Lines(lines)
    reader = csv.reader(source, delimiter=separator, strict=True)
    has_names = was_open = False  # the latter: a cell may have ended behind a backslash
    while True:
        number = reader.line_num + 1
        source.row_lines.clear()
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            said = _no_cells(error, number, reader.line_num, source.row_lines)
            if not has_names:
                said += other_separator(["".join(source.row_lines)], separator)
            yield number, NoRow(said)
            continue
        has_names = has_names or any(row)
        if not any(row):
            if row:
                yield number, row
            continue
        raw = "".join(source.row_lines)
        if flaw := foreign_byte(raw):
            yield number, flaw
        elif (was_open and '"' in "".join(row) and '""' not in raw) or (
            BARE.search(raw) and any(ESCAPED in cell for cell in row)
        ):
            yield number, NoRow(f"is no CSV: found a quote within a cell{_ESCAPE_ADVICE}")
        else:
            yield number, row
        was_open = was_open or ESCAPED in raw


_ESCAPE_ADVICE = (
    '; a backslash stands before a quote, which ends the cell there: CSV has "" for a quote within '
    "a cell, as pandas' to_csv writes it without `escapechar`"
)


def _no_cells(error: csv.Error, first: int, last: int, lines: list[str]) -> str:
    """Return why lines are no row, with what may have been meant."""
    said = str(error)
    if "unexpected end of data" in said:
        return f"is no CSV: a quote that opens a cell there, up to line {last}, is not closed"
    if "new-line character" in said:
        said = "found a carriage return outside of quotes, which ends no line here"
    at = f" in line {last}" if last > first else ""
    return f"is no CSV: {said}{at}{_ESCAPE_ADVICE if ESCAPED in ''.join(lines) else ''}"


def cell_rows(
    lines: Iterable[str], separator: str, where: str, wanted: Collection[str]
) -> Iterator[NumberedRow]:
    """Yield the rows below the line of names, with a cell per name.

    Lines in front that begin with `#` are comments, if the `wanted` names stand below.

    Raises:
        InputError: naming `where` and the line, if no line names columns, or a name is repeated.
    """
    rows = numbered_cells(lines, separator)
    head = list[tuple[int, list[str]]]()
    for line, row in rows:
        if isinstance(row, NoRow):
            raise InputError(f"{where}, line {line}: {row.reason}")
        if any(cell.strip() for cell in row):
            head.append((line, row))
            if not row[0].startswith("#") or {*wanted} <= {*row}:
                break
    if not head:
        return
    has_names = {*wanted} <= {*head[-1][1]}
    (number, columns), *below = head[-1:] if has_names else head
    check_columns(columns, f"{where}, line {number}")
    advice = other_separator(columns, separator)
    for line, row in chain(below, rows):
        if isinstance(row, NoRow):
            yield line, row._replace(reason=row.reason + advice)
        elif len(row) == len(columns):
            yield line, dict(zip(columns, row, strict=True))
        elif any(cell.strip() for cell in row):
            yield line, NoRow(_miscounted(row, columns, number) + advice)


def _miscounted(row: list[str], columns: list[str], number: int) -> str:
    of = "the first line" if number == 1 else f"line {number}"
    comment = "; is it a comment?" if row[0].lstrip().startswith("#") else ""
    return f"expected {counted(len(columns), 'column')} as in {of}, found {len(row)}{comment}"


def check_columns(columns: Collection[str], where: str) -> None:
    """Stop at a repeated name; unnamed columns, which Excel leaves, may be several."""
    names = list(columns)
    for column in filter(None, names):
        if (n := names.count(column)) > 1:
            raise InputError(f"{where}: the column '{column}' stands {n} times, expected once")


def other_separator(names: list[str], used: str) -> str:
    """Return a question about the separator, if the only name looks like several names."""
    for other in (";", "\t", "|", ",") if len(names) == 1 else ():
        if other != used and other in names[0]:
            shown = TAB if other == "\t" else other
            return f"; is '{shown}' the separator? Then say --separator '{shown}', or `separator:`"
    return ""
