"""Rows of cells with numbers and labels: finds the row of names, and where a comma is a point."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice

import numpy as np

from embspace.errors import InputError, counted
from embspace.files.formats.cells import numbered_cells
from embspace.files.formats.row import NoRow

N_FIRST = 50  # rows by which separator and names are told
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?")
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
WHOLE = re.compile(r"[+-]?\d+(\.0+)?")
SEPARATORS = (",", ";", "\t", "|", " ")
WHICH = "say --header yes, or --header no if it is a row like the others"
CellRow = tuple[int, list[str]]


@dataclass(eq=False)
class NumberTable:
    """Columns of numbers (row, column) with their names, and columns of words."""

    numbers: np.ndarray
    names: list[str] | None
    """None: no row has names."""
    words: dict[str, list[str]] = field(default_factory=dict)
    row_names: list[str] | None = None


def likely_separator(lines: list[str], usual: str) -> str:
    """Return the only separator with equally many cells in the first lines, else the usual.

    All cells below the first line must be numbers; if no separator does this, all but the first.
    """
    for n_labels in (0, 1):
        fits = [separator for separator in SEPARATORS if _fits(lines, separator, n_labels)]
        if fits:
            return fits[0] if len(fits) == 1 else usual
    return usual


def _fits(lines: list[str], separator: str, n_labels: int) -> bool:
    rows = [row for _, row in numbered_cells(lines, separator) if not isinstance(row, NoRow)]
    body = rows[1:]
    if not body or len({len(row) for row in body}) > 1 or len(body[0]) < 2:
        return False
    cells = [cell for row in body for cell in row[n_labels:]]
    return all(is_number(cell) or not cell for cell in cells)


def is_number(cell: str) -> bool:
    """Return whether a cell is a number, also with a decimal comma, which may be in quotes."""
    if DECIMAL_COMMA.fullmatch(cell.strip()):
        return True
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def number_table(
    lines: Iterable[str], separator: str, where: str, *, header: bool | None, known: Iterable[str]
) -> NumberTable:
    """Return the numbers and words of lines; `header` says whether the first row has names.

    Without `header`, the content decides where possible; `known` are names of columns without
    numbers.

    Raises:
        InputError: naming `where` and the line, if the content does not decide, or the number of
            cells differs.
    """
    rows = _rows(lines, separator, where)
    first = list(islice(rows, N_FIRST))
    names, body = _names(first, where, header, {*known})
    if not body:
        raise InputError(f"{where}: holds no row of numbers")
    width = len(body[0][1])
    names, has_row_names, is_trailing = _fitted(names, body, where)
    if is_trailing:
        width -= 1
    words = _columns_of_words(body, names, has_row_names, {*known}, width)
    kept = [place for place in range(width) if place not in words]
    kinds, values = _Decimals(where), list[np.ndarray]()
    texts: dict[int, list[str]] = {place: [] for place in words}
    for line, row in chain(body, rows):
        if len(row) != len(body[0][1]):
            raise InputError(
                f"{where}, line {line}: expected {counted(len(body[0][1]), 'cell')} as in line "
                f"{body[0][0]}, found {len(row)}"
            )
        values.append(kinds.numbers([row[place] for place in kept], line))
        for place, column in texts.items():
            column.append(row[place])
    kinds.check()
    called = names or [str(place) for place in range(width)]
    return NumberTable(
        np.array(values),
        None if names is None else [called[place] for place in kept],
        {called[place]: column for place, column in texts.items() if place or not has_row_names},
        texts.get(0) if has_row_names else None,
    )


def _rows(lines: Iterable[str], separator: str, where: str) -> Iterator[CellRow]:
    for line, row in numbered_cells(lines, separator):
        if isinstance(row, NoRow):
            raise InputError(f"{where}, line {line}: {row.reason}")
        if any(cell.strip() for cell in row):
            yield line, [cell.strip() for cell in row]


def _names(
    first: list[CellRow], where: str, header: bool | None, known: set[str]
) -> tuple[list[str] | None, list[CellRow]]:
    """Return the names of columns, and the rows below them; comments in front are dropped."""
    n_comments = next(
        (n for n, (_, row) in enumerate(first) if not row[0].startswith("#")), len(first)
    )
    body = first[n_comments:]
    if not body:
        return None, []
    if n_comments and header is not False:
        names = first[n_comments - 1][1]
        if len(names) == len(body[0][1]):  # as NumPy's savetxt writes them
            return [names[0].lstrip("# "), *names[1:]], body
    line, row = body[0]
    if header is None:
        header = _is_header(row, body[1:], f"{where}, line {line}", known)
    return (row, body[1:]) if header else (None, body)


def _is_header(row: list[str], below: list[CellRow], where: str, known: set[str]) -> bool:
    """Return whether a first row has names.

    Raises:
        InputError: if the row may be names or numbers.
    """
    # A label in front of numbers says nothing of the row.
    is_label = bool(below) and not is_number(below[0][1][0]) and below[0][1][0] != ""
    start = int(is_label and len(below[0][1]) == len(row) and row[0].lower() not in known)
    cells = [cell for cell in row[start:] if cell.lower() not in known]
    numbers = [cell for cell in cells if is_number(cell)]
    if cells == [str(number) for number in range(len(cells))]:
        return True  # a frame whose columns were never named is written so
    if 0 < len(numbers) < len(cells) or (numbers and start and row[0] == "" and not _runs(cells)):
        other = next((cell for cell in row if not is_number(cell)), "")
        index = "" if other else "; a column without a name may be an index: write it without"
        raise InputError(
            f"{where}: found '{numbers[0]}' and '{other}'; allowed: numbers alone, or names of "
            f"columns alone; {WHICH}{index}"
        )
    if not numbers:
        return True
    if len(cells) < len(row) - start:
        return True  # a name that is known stands among them
    body = [other[start:] for _, other in below]
    is_alone = _runs(cells) and not all(map(_runs, body))
    if is_alone or (_rises(cells) and not all(map(WHOLE.fullmatch, chain(*body)))):
        raise InputError(
            f"{where}: found {', '.join(row[:4])}{', …' if len(row) > 4 else ''}, which may be "
            f"names of columns or numbers; {WHICH}"
        )
    return False


def _runs(cells: list[str]) -> bool:
    """Return whether cells are whole numbers in steps of one, up or down."""
    if len(cells) < 2 or not all(map(WHOLE.fullmatch, cells)):
        return False
    return {*np.diff(np.array(cells, dtype=float))} in ({1.0}, {-1.0})


def _rises(cells: list[str]) -> bool:
    """Return whether cells are whole numbers, each larger than the one before."""
    if len(cells) < 2 or not all(map(WHOLE.fullmatch, cells)):
        return False
    return bool((np.diff(np.array(cells, dtype=float)) > 0).all())


def _fitted(
    names: list[str] | None, body: list[CellRow], where: str
) -> tuple[list[str] | None, bool, bool]:
    """Return names, one per cell; whether the first column names rows; whether the last is empty.

    Raises:
        InputError: if the names are fewer than the cells by more than one.
    """
    width = len(body[0][1])
    first = [row[0] for _, row in body]
    is_empty = all(len(row) == width and not row[-1] for _, row in body)
    are_names = not all(is_number(cell) for cell in first)
    if names is None:
        return None, are_names, is_empty
    if len(names) == width:
        is_trailing = is_empty and not names[-1]
        if not names[0] and not are_names and not all(map(WHOLE.fullmatch, first)):
            raise InputError(f"{where}: a column has no name: is it an index, and no dimension?")
        return (names[:-1] if is_trailing else names), not names[0], is_trailing
    if len(names) == width - 1:
        if is_empty:
            return names, False, True
        if are_names or all(map(WHOLE.fullmatch, first)):
            return ["", *names], True, False
    line, row = body[0]
    raise InputError(
        f"{where}, line {line}: expected {counted(len(names), 'cell')} as there are names, found "
        f"{len(row)}"
    )


def _columns_of_words(
    body: list[CellRow],
    names: list[str] | None,
    has_row_names: bool,
    known: set[str],
    width: int,
) -> set[int]:
    words = {0} if has_row_names else set()
    for place in range(width):
        cells = [row[place] for _, row in body if place < len(row)]
        is_known = names is not None and names[place].lower() in known
        if is_known or (names and not any(is_number(cell) or not cell for cell in cells)):
            words.add(place)
    return words


class _Decimals:
    """Reads numbers, and remembers whether a point or a comma stands before their decimals."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._point = self._comma = self._thousands = ""

    def numbers(self, cells: list[str], line: int) -> np.ndarray:
        """Return the numbers of a row; an empty cell is NaN."""
        joined = " ".join(cells)
        if "," in joined:
            cells = [self._with_point(cell) for cell in cells]
        elif not self._point and "." in joined:
            self._point = next(cell for cell in cells if "." in cell)
        try:
            if "_" in joined:
                raise ValueError
            return np.array([cell or "nan" for cell in cells], dtype=np.float64)
        except ValueError:
            wrong = next(cell for cell in cells if cell and not is_number(cell))
            raise InputError(
                f"{self._where}, line {line}: found '{wrong}', allowed: numbers"
            ) from None

    def _with_point(self, cell: str) -> str:
        if not DECIMAL_COMMA.fullmatch(cell):
            if "." in cell:
                self._point = self._point or cell
            return cell
        if THOUSANDS.fullmatch(cell):
            self._thousands = self._thousands or cell
        else:
            self._comma = self._comma or cell
        return cell.replace(",", ".")

    def check(self) -> None:
        """Stop if a comma may stand before decimals and between thousands.

        Raises:
            InputError: naming two contradictory cells, or an ambiguous cell.
        """
        comma = self._comma or self._thousands
        if comma and self._point:
            raise InputError(
                f"{self._where}: found '{comma}' and '{self._point}', allowed: one decimal mark"
            )
        if self._thousands and not self._comma:
            raise InputError(
                f"{self._where}: found '{self._thousands}', which may have decimals or thousands; "
                "write it with a point"
            )
