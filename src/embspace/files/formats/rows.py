"""Yields the rows of a table of texts, whatever its format; the one reader of all commands."""

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from embspace.files.formats.arrow_rows import arrow_rows
from embspace.files.formats.cells import cell_rows, checked_separator, declared_separator
from embspace.files.formats.endings import ARROW, GZIP, JSON, PARQUET, PLAIN, SEPARATORS
from embspace.files.formats.json_rows import json_line_rows, json_list_rows
from embspace.files.formats.row import NumberedRow, foreign_byte, line_of_foreign
from embspace.files.formats.streams import NotUtf8Error, lines_of


def rows_of(
    stream: Any,
    ending: str,
    where: str,
    *,
    separator: str | None = None,
    names: Collection[str] = (),
) -> Iterator[NumberedRow]:
    """Yield the rows of an unpacked stream with row or line number, from 1.

    `ending` is the file's, `separator` stands between the cells of a .csv or .tsv; by default the
    separator of a first line `sep=;`, or a comma or tab. `names` are expected columns, to tell the
    line of names from comments in front. Only in .txt are blank lines rows.

    Raises:
        InputError: naming `where`, if the stream is no table.
        NotUtf8Error: if the stream is UTF-16 or UTF-32, or .json and no UTF-8.
    """
    plain = ending.removesuffix(GZIP)
    if plain in (PARQUET, ARROW):
        return arrow_rows(stream, plain, where)
    lines = lines_of(stream)
    if plain == JSON:
        return _listed_rows("".join(lines), where)
    if plain == PLAIN:
        return _plain_rows(lines)
    if plain in SEPARATORS:
        given = None if separator is None else checked_separator(separator, where)
        declared, rest = declared_separator(lines)
        return cell_rows(rest, given or declared or SEPARATORS[plain], where, names)
    return json_line_rows(lines)


def _listed_rows(content: str, where: str) -> Iterator[NumberedRow]:
    if flaw := foreign_byte(content):
        raise NotUtf8Error(f"line {line_of_foreign(content)}: {flaw.reason}")
    return json_list_rows(content, where)


def _plain_rows(lines: Iterable[str]) -> Iterator[NumberedRow]:
    for number, line in enumerate(lines, 1):
        yield number, foreign_byte(line) or {"text": line.rstrip("\r\n")}
