"""Tables of texts: .jsonl, .json, .csv, .tsv, .parquet, or plain text, one text a line."""

import csv
import io
import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any
from unicodedata import category

import pandas as pd

from embspace.errors import InputError, counted, shortened
from embspace.files.remote import local_path

# What a user says who calls the column otherwise.
BY_NAME = {"text": "; name the one that has the texts by --text-column, or `text_column:`"}
# Categories of control characters, which tokenizers of BERT's kind drop, and of blanks.
UNSEEN = {"Cc", "Zs", "Zl", "Zp"}
NumberedRow = tuple[int, dict[str, Any]]
"""The number of its line, or its own where there are no lines, and its cells."""


class MissingColumnError(InputError):
    """A file of texts lacks the `column` that it should have."""

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
) -> pd.DataFrame:
    """The texts of a file: `id`, `text`, and its other columns, in the order of the file.

    Without `id_column`, a column `id` is taken where there is one, else the row's number; a row
    of a .txt file is a line. A path may start with `~`. `separator` stands between the cells of a
    .csv or .tsv; without it, a comma or a tab. `skip_empty` leaves out rows without a text.

    Raises:
        MissingColumnError: naming the line and the columns that there are.
        InputError: naming the line, for an empty text or id, one that holds a character that is
            none or NUL, a repeated id or column, bytes that are no UTF-8; naming the file, if it
            holds no text.
    """
    file = local_path(path)
    if file.suffix not in _READERS:
        raise InputError(
            f"{path}: found the ending '{file.suffix}', allowed: {', '.join(_READERS)}"
        )
    used = separator or SEPARATORS.get(file.suffix)
    rows = [
        _named(row, number, line, path, text_column, id_column, used)
        for number, (line, row) in enumerate(_rows(file, separator), 1)
        if not (skip_empty and _is_empty(row.get(text_column, "x")))
    ]
    if not rows:
        raise InputError(f"{path}: holds no text")
    table = pd.DataFrame([row for _, row in rows])
    _check(table, [line for line, _ in rows], path)
    return table


def _rows(file: Path, separator: str | None) -> Iterator[NumberedRow]:
    if separator is None:
        return _READERS[file.suffix](file)
    if file.suffix not in SEPARATORS or len(separator) != 1:
        raise InputError(
            f"{file}: found the separator {separator!r}, allowed: one character, for "
            f"{' and '.join(SEPARATORS)}"
        )
    return _csv(file, separator)


def _is_empty(text: Any) -> bool:
    """Return whether a cell has no text: it is blank or missing."""
    if isinstance(text, str):
        return not text.strip()
    return bool(pd.api.types.is_scalar(text) and pd.isna(text))


def flaw_of_text(text: str) -> str:
    """Why `text` cannot be read by a model, as the end of a sentence; "" if it can."""
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
        return f"holds {_half_character(error)}"
    return ""


def _half_character(error: UnicodeEncodeError) -> str:
    half = error.object[error.start]
    if "\udc80" <= half <= "\udcff":  # what Python reads a byte as that is no UTF-8
        byte = f"the byte 0x{ord(half) - 0xDC00:02X}, which is no UTF-8"
        return f"{byte}, or {half!r}, half of a pair of surrogates; save the file as UTF-8"
    return f"{half!r}, half of a pair of surrogates; allowed: whole characters"


def _named(
    row: dict[str, Any],
    number: int,
    line: int,
    path: str,
    text_column: str,
    id_column: str | None,
    separator: str | None,
) -> NumberedRow:
    """A row with its id and text also under these names; no `separator` where cells have none."""
    where = f"{path}, line {line}"
    for column in filter(None, (text_column, id_column)):
        if column not in row:
            found = ", ".join(map(repr, row))
            is_one = len(row) == 1 and separator is not None
            other = _other_separator(next(iter(row)), separator) if is_one else ""
            advice = other or BY_NAME.get(column, "")
            raise MissingColumnError(
                f"{where}: no column '{column}', found {found}{advice}", column
            )
    if not isinstance(row[text_column], str):
        found = shortened(row[text_column])
        raise InputError(f"{where}: key '{text_column}': found {found}, not a string")
    key = id_column or "id"
    name = row.get(key, number)
    if not pd.api.types.is_scalar(name) or pd.isna(name):
        raise InputError(f"{where}: key '{key}': found {shortened(name)}, not a name or number")
    return line, {**row, "id": str(name), "text": row[text_column]}


def _other_separator(header: str, used: str | None) -> str:
    """Return a question after the separator if a header of one column looks like several."""
    for other in (";", "\t", "|", ","):
        if other != used and other in header:
            return f"; is {other!r} the separator? Then say so by --separator, or `separator:`"
    return ""


def _content(file: Path) -> str:
    if file.exists() and not file.is_file() and not file.is_dir():
        raise InputError(f"{file}: is a pipe or a device; allowed: a file")
    try:
        content = file.read_bytes()
        text = content.decode("utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"{file}: not found") from None
    except OSError as error:  # a folder, a file that may not be read
        raise InputError(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{file}, line {line}: the byte 0x{content[error.start]:02x} is not UTF-8; if the file "
            f"is Latin-1, this makes it UTF-8:\n  iconv -f latin1 -t utf8 {quote(str(file))} > "
            f"{quote(str(file.with_suffix(f'.utf8{file.suffix}')))}"
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _lines(file: Path) -> list[str]:
    # Not splitlines(): it also breaks at characters that a text may hold.
    content = _content(file)
    return content.removesuffix("\n").split("\n") if content.strip() else []


def _plain(file: Path) -> Iterator[NumberedRow]:
    return ((number, {"text": line}) for number, line in enumerate(_lines(file), 1))


def _json_lines(file: Path) -> Iterator[NumberedRow]:
    for number, line in enumerate(_lines(file), 1):
        where = f"{file}, line {number}"
        row = _parsed(line, where)
        if not isinstance(row, dict):
            raise InputError(f"{where}: expected keys and values, found {shortened(row)}")
        yield number, row


def _parsed(content: str, where: str) -> Any:
    """Return what JSON says, if no key stands twice and Python can hold it."""
    try:
        parsed = json.loads(content, object_pairs_hook=partial(_keys_and_values, where=where))
        if "\\u" in content:  # only an escape can write half a character
            json.dumps(parsed, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        place = where if ", line" in where else f"{where}, line {error.lineno}"
        raise InputError(f"{place}: is no JSON: {error}") from None
    except UnicodeEncodeError as error:
        raise InputError(f"{where}: found {_half_character(error)}") from None
    except RecursionError:
        raise InputError(
            f"{where}: is nested too deeply; expected texts, or keys and values of one level"
        ) from None
    except InputError:
        raise
    except ValueError:  # the interpreter turns no longer ones into an int
        limit = sys.get_int_max_str_digits()
        raise InputError(
            f"{where}: found an integer of more than {limit:,} digits; allowed are fewer, or "
            "a string"
        ) from None
    return parsed


def _keys_and_values(pairs: list[tuple[str, Any]], where: str) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise InputError(f"{where}: the key {twice!r} stands {keys.count(twice)} times in one row")
    return found


def _json(file: Path) -> Iterator[NumberedRow]:
    rows = _parsed(_content(file), str(file))
    if not isinstance(rows, list):
        raise InputError(
            f"{file}: found {shortened(rows)}, expected a list of texts, or of keys and values"
        )
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict | str):
            raise InputError(
                f"{file}, entry {number}: expected a text, or keys and values, found "
                f"{shortened(row)}"
            )
        yield number, {"text": row} if isinstance(row, str) else row


def _csv(file: Path, separator: str) -> Iterator[NumberedRow]:
    csv.field_size_limit(2**31 - 1)  # a text is one field, however long
    content = io.StringIO(_content(file), newline="")
    header = content.readline()
    advice = "" if separator in header else _other_separator(header, separator)
    content.seek(0)
    reader = csv.DictReader(content, strict=True, delimiter=separator)
    try:
        columns = list(reader.fieldnames or [])
        _check_columns(columns, f"{file}, line {reader.line_num}")
        for row in reader:
            if None in row or None in row.values():
                raise InputError(
                    f"{file}, line {reader.line_num}: expected {counted(len(columns), 'column')} "
                    f"as in the first line{advice}"
                )
            yield reader.line_num, row
    except csv.Error as error:
        raise InputError(f"{file}, line {reader.line_num}: is no CSV: {error}{advice}") from None


def _check_columns(columns: list[str], where: str) -> None:
    for column in columns:
        if (n := columns.count(column)) > 1:
            raise InputError(f"{where}: the column '{column}' stands {n} times, expected once")


def _parquet(file: Path) -> Iterator[NumberedRow]:
    try:
        table = pd.read_parquet(file)
    except FileNotFoundError:
        raise InputError(f"{file}: not found") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{file}: is no parquet table: {error}") from None
    _check_columns([str(column) for column in table.columns], str(file))
    records = table.to_dict(orient="records")
    return ((number, {str(key): row[key] for key in row}) for number, row in enumerate(records, 1))


SEPARATORS = {".csv": ",", ".tsv": "\t"}
_READERS: dict[str, Callable[[Path], Iterator[NumberedRow]]] = {
    ".jsonl": _json_lines,
    ".json": _json,
    ".txt": _plain,
    **{suffix: partial(_csv, separator=separator) for suffix, separator in SEPARATORS.items()},
    ".parquet": _parquet,
}
ENDINGS = tuple(_READERS)


def _check(table: pd.DataFrame, lines: list[int], path: str) -> None:
    seen: dict[str, int] = {}
    for line, name, text in zip(lines, table["id"], table["text"], strict=True):
        where = f"{path}, line {line}"
        if flaw := flaw_of_text(name):
            raise InputError(f"{where}: the id {name!r} {flaw}")
        if flaw := flaw_of_text(text):
            raise InputError(f"{where}: the text '{name}' {flaw}{_others_empty(table, text)}")
        if name in seen:
            raise InputError(f"{where}: the id '{name}' is that of line {seen[name]}")
        seen[name] = line


def _others_empty(table: pd.DataFrame, text: str) -> str:
    """Return the end of a message on an empty text: how many are empty, and how to skip them."""
    if text.strip():
        return ""
    n_empty = int((table["text"].str.strip() == "").sum())
    return (
        f"; in all {n_empty:,} of {counted(len(table), 'text')}. `skip_empty: true`, of a report "
        "--skip-empty, leaves empty ones out"
    )
