"""Tables of texts: .jsonl, .json, .csv, .tsv, .parquet, or plain text with one text a line."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import category

from embspace.errors import InputError, counted, shortened
from embspace.files.formats.arrow_rows import folder_as_parquet, saved_files
from embspace.files.formats.cells import other_separator
from embspace.files.formats.encodings import advice, unmarked_wide
from embspace.files.formats.endings import (
    ENDINGS,
    GZIP,
    JSON,
    OF_LINES,
    PARQUET,
    SEPARATORS,
    ending_of,
    listed,
)
from embspace.files.formats.row import NoRow, half_character
from embspace.files.formats.rows import rows_of
from embspace.files.formats.streams import NotUtf8Error, opened
from embspace.files.remote import local_path

if TYPE_CHECKING:
    import pandas as pd

# What a user says who calls the column otherwise.
BY_NAME = {"text": "; name the one that has the texts by --text-column, or `text_column:`"}
# Categories of control characters, which tokenizers of BERT's kind drop, and of blanks.
UNSEEN = {"Cc", "Zs", "Zl", "Zp"}
START = 4096  # bytes by which a wide encoding is told


class MissingColumnError(InputError):
    """A file of texts lacks a `column` that it should have."""

    def __init__(self, message: str, column: str) -> None:
        super().__init__(message)
        self.column = column


def load_texts(
    path: str,
    text_column: str = "text",
    id_column: str | None = None,
    *,
    separator: str | None = None,
    skip_empty: bool = False,
) -> "pd.DataFrame":
    r"""The texts of a file: `id`, `text`, and all further columns, in the order of the file.

    Without `id_column`, the column `id`, or else the row's number; a row of a .txt file is a line.
    A path may start with `~`, and may be a folder written by `save_to_disk` of `datasets`.
    `separator` stands between the cells of a .csv or .tsv, a tab also as \t; by default the
    separator of a first line `sep=;`, or a comma or a tab. `skip_empty` leaves out rows without a
    text.

    Raises:
        MissingColumnError: naming the line and the existing columns.
        InputError: naming the line, for an empty text or id, an invalid character or NUL, a
            repeated id or column, bytes that are no UTF-8; naming the file, if no text is left.
    """
    rows: list[tuple[int, dict[str, Any]]] = []
    names, place = (text_column, id_column), Place(path, separator)
    for number, (line, row) in enumerate(_rows(place, names), 1):
        if not (skip_empty and _is_empty(row.get(text_column, "x"))):
            rows.append((line, _named(row, number, line, place, text_column, id_column)))
    if not rows:
        raise InputError(f"{path}: holds no text")
    import pandas as pd

    table = pd.DataFrame([row for _, row in rows])
    _check(table, [line for line, _ in rows], place)
    return table


def content_of(path: str) -> tuple[str, bytes]:
    """Return the ending and the bytes of a file of texts; a folder of `save_to_disk` as .parquet.

    Raises:
        InputError: naming what cannot be read.
    """
    file = local_path(path)
    if not file.is_dir():
        return ending_of(file.name), file.read_bytes()
    return PARQUET, folder_as_parquet(_saved(file))


class Place:
    """A file or folder of texts, by the name that a user gave, and what messages say about it."""

    def __init__(self, path: str, separator: str | None) -> None:
        self.path, self.file, self.separator = path, local_path(path), separator
        self.ending = ending_of(self.file.name).removesuffix(GZIP)

    def at(self, line: int) -> str:
        """Return the place of a row, the beginning of a message."""
        return f"{self.path}, {'entry' if self.ending == JSON else 'line'} {line}"

    def other_separator(self, names: list[str]) -> str:
        """Return a question about the separator, if the only column name looks like several."""
        if usual := SEPARATORS.get(self.ending):
            return other_separator(names, self.separator or usual)
        return ""

    def advice(self) -> str:
        """Return advice on how to make the file UTF-8."""
        with opened(self.file) as stream:
            return advice(self.file, stream.read())

    def wide(self) -> str:
        """Return this advice for a file of lines that looks like UTF-16 without a mark, else ""."""
        if self.ending not in OF_LINES:
            return ""
        with opened(self.file) as stream:
            start = stream.read(START)
        return advice(self.file, start) if unmarked_wide(start) else ""


def _rows(place: Place, names: Iterable[str | None]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows of a file or of a folder's files, with the line numbers."""
    files = _saved(place.file) if place.file.is_dir() else [place.file]
    wanted, before = [*filter(None, names)], 0
    for file in files:
        ending, line = ending_of(file.name), 0
        _check_ending(place, ending)
        with opened(file) as stream:
            try:
                rows = rows_of(stream, ending, place.path, separator=place.separator, names=wanted)
                for line, row in rows:
                    if isinstance(row, NoRow):
                        hint = place.advice() if row.is_foreign else place.wide()
                        raise InputError(f"{place.at(before + line)}: {row.reason}{hint}")
                    yield before + line, row
            except NotUtf8Error as error:
                raise InputError(f"{place.path}: {error}{place.advice()}") from None
        before += line


def _saved(folder: Path) -> list[Path]:
    if files := saved_files(folder):
        return files
    raise InputError(
        f"{folder}: is a folder; allowed: a file, or a folder that `save_to_disk` has written"
    )


def _check_ending(place: Place, ending: str) -> None:
    if ending not in ENDINGS:
        raise InputError(f"{place.path}: found the ending '{ending}', allowed: {listed()}")
    if place.separator is not None and ending.removesuffix(GZIP) not in SEPARATORS:
        raise InputError(
            f"{place.path}: found the separator {place.separator!r}, allowed: one character, for "
            f"{' and '.join(SEPARATORS)}"
        )


def _is_empty(text: Any) -> bool:
    """Return whether a cell has no text: it is blank or missing."""
    if isinstance(text, str):
        return not text.strip()
    import pandas as pd

    return bool(pd.api.types.is_scalar(text) and pd.isna(text))


def flaw_of_text(text: str) -> str:
    """Return why a model cannot read `text`, as the end of a sentence; "" if it can."""
    if not text.strip():
        return "is empty"
    # Tokenizers drop it, and some programs take it for the end.
    if "\0" in text:
        return f"holds a NUL character (U+0000) at {text.index(chr(0))}; allowed: all others"
    if all(category(character) in UNSEEN for character in text):
        return "holds nothing but blanks and control characters"
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return f"holds {half_character(error)}"
    return ""


def _named(
    row: dict[str, Any],
    number: int,
    line: int,
    place: Place,
    text_column: str,
    id_column: str | None,
) -> dict[str, Any]:
    """Return a row with its id and text also under these names."""
    where = place.at(line)
    for column in filter(None, (text_column, id_column)):
        if column not in row:
            shown = ", ".join(map(repr, row))
            hint = place.wide() or place.other_separator([*row]) or BY_NAME.get(column, "")
            raise MissingColumnError(f"{where}: no column '{column}', found {shown}{hint}", column)
    text = row[text_column]
    if not isinstance(text, str):
        raise InputError(f"{where}: key '{text_column}': found {shortened(text)}, not a string")
    key = id_column or "id"
    if flaw := flaw_of_name(name := row.get(key, number)):
        raise InputError(f"{where}: key '{key}': {flaw}")
    return {**row, "id": str(name), "text": text}


def flaw_of_name(name: Any) -> str:
    """Return why a cell cannot name a text, as the end of a sentence; "" if it can."""
    import pandas as pd

    if not pd.api.types.is_scalar(name) or pd.isna(name):
        return f"found {shortened(name)}, not a name or number"
    return ""


def _check(table: "pd.DataFrame", lines: list[int], place: Place) -> None:
    seen: dict[str, int] = {}
    for line, name, text in zip(lines, table["id"], table["text"], strict=True):
        where = place.at(line)
        if flaw := flaw_of_text(name):
            raise InputError(f"{where}: the id {name!r} {flaw}")
        if flaw := flaw_of_text(text):
            raise InputError(
                f"{where}: the text '{name}' {flaw}{_others_empty(table, text)}{place.wide()}"
            )
        if name in seen:
            raise InputError(f"{where}: the id '{name}' is that of line {seen[name]}")
        seen[name] = line


def _others_empty(table: "pd.DataFrame", text: str) -> str:
    """Return the end of a message on an empty text: how many are empty, and how to skip them."""
    if text.strip():
        return ""
    n_empty = int((table["text"].str.strip() == "").sum())
    return (
        f"; in all {n_empty:,} of {counted(len(table), 'text')}. `skip_empty: true`, of a report "
        "--skip-empty, leaves empty ones out"
    )
