"""Tables of texts: .jsonl, .csv, .parquet, or plain text, one text a line."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from embspace.errors import InputError

Row = tuple[int, dict[str, Any]]  # the number of its line, or its own where there are no lines


def load_texts(path: str, text_column: str = "text", id_column: str | None = None) -> pd.DataFrame:
    """The texts of a file: `id`, `text`, and its other columns, in the order of the file.

    Without `id_column`, a column `id` is taken where there is one, else the row's number; a row
    of a .txt file is a line.

    Raises:
        InputError: naming the line, for an empty text, a missing column, a repeated id, bytes
            that are no UTF-8; naming the file, if it holds no text.
    """
    file = Path(path)
    if file.suffix not in _READERS:
        raise InputError(
            f"{path}: found the ending '{file.suffix}', allowed: {', '.join(_READERS)}"
        )
    rows = [
        _named(row, number, line, path, text_column, id_column)
        for number, (line, row) in enumerate(_READERS[file.suffix](file), 1)
    ]
    if not rows:
        raise InputError(f"{path}: holds no text")
    table = pd.DataFrame([row for _, row in rows])
    _check(table, [line for line, _ in rows], path)
    return table


def _named(
    row: dict[str, Any],
    number: int,
    line: int,
    path: str,
    text_column: str,
    id_column: str | None,
) -> Row:
    """A row with its id and text also under these names."""
    for column in filter(None, (text_column, id_column)):
        if column not in row:
            raise InputError(
                f"{path}, line {line}: no column '{column}', found {', '.join(map(repr, row))}"
            )
    if not isinstance(row[text_column], str):
        raise InputError(
            f"{path}, line {line}: key '{text_column}': found {row[text_column]!r}, not a string"
        )
    name = row[id_column] if id_column else row.get("id", number)
    return line, {**row, "id": str(name), "text": row[text_column]}


def _content(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"{file}: not found") from None
    except OSError as error:  # a folder, a file that may not be read
        raise InputError(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: is not UTF-8: {error}") from None


def _lines(file: Path) -> list[str]:
    # Not splitlines(): it also breaks at characters that a text may hold.
    content = _content(file)
    return content.removesuffix("\n").split("\n") if content.strip() else []


def _plain(file: Path) -> Iterator[Row]:
    return ((number, {"text": line}) for number, line in enumerate(_lines(file), 1))


def _json_lines(file: Path) -> Iterator[Row]:
    for number, line in enumerate(_lines(file), 1):
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(f"{file}, line {number}: is no JSON: {error}") from None
        if not isinstance(row, dict):
            raise InputError(f"{file}, line {number}: expected keys and values, found {row!r}")
        yield number, row


def _csv(file: Path) -> Iterator[Row]:
    csv.field_size_limit(2**31 - 1)  # a text is one field, however long
    reader = csv.DictReader(io.StringIO(_content(file), newline=""), strict=True)
    try:
        for row in reader:
            if None in row or None in row.values():
                raise InputError(
                    f"{file}, line {reader.line_num}: expected {len(reader.fieldnames or [])} "
                    "columns as in the first line"
                )
            yield reader.line_num, row
    except csv.Error as error:
        raise InputError(f"{file}, line {reader.line_num}: is no CSV: {error}") from None


def _parquet(file: Path) -> Iterator[Row]:
    try:
        table = pd.read_parquet(file)
    except FileNotFoundError:
        raise InputError(f"{file}: not found") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{file}: is no parquet table: {error}") from None
    records = table.to_dict(orient="records")
    return ((number, {str(key): row[key] for key in row}) for number, row in enumerate(records, 1))


_READERS = {".jsonl": _json_lines, ".txt": _plain, ".csv": _csv, ".parquet": _parquet}


def _check(table: pd.DataFrame, lines: list[int], path: str) -> None:
    seen: dict[str, int] = {}
    for line, name, text in zip(lines, table["id"], table["text"], strict=True):
        if not text.strip():
            raise InputError(f"{path}, line {line}: the text '{name}' is empty")
        if name in seen:
            raise InputError(f"{path}, line {line}: the id '{name}' is that of line {seen[name]}")
        seen[name] = line
