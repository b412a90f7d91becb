"""Rows of JSON: one object a line, or one list of texts and objects."""

import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from embspace.errors import InputError, shortened
from embspace.files.formats.row import NoRow, NumberedRow, foreign_byte, half_character

MARK = "\ufeff"
TOO_DEEP = "is nested too deeply; expected texts, or keys and values of one level"


def json_line_rows(lines: Iterable[str]) -> Iterator[NumberedRow]:
    """Yield the objects of the lines; blank lines are counted and passed over."""
    for number, line in enumerate(lines, 1):
        content = line.removeprefix(MARK)  # files that were put together have one in each part
        if content.strip():
            yield number, row_of(content)


def row_of(line: str) -> dict[str, Any] | NoRow:
    """Return the object of a line, or the reason why it has none."""
    if flaw := foreign_byte(line):
        return flaw
    try:
        row = parsed(line)
    except json.JSONDecodeError as error:
        comment = "; is it a comment?" if line.lstrip().startswith(("#", "//")) else ""
        return NoRow(f"is no JSON: {error}{comment}")
    except InputError as error:
        return NoRow(str(error))
    if not isinstance(row, dict):
        return NoRow(f"expected keys and values, found {shortened(row)}")
    return row


def parsed(content: str) -> Any:
    """Return parsed JSON, if no key is repeated and Python can hold the value.

    Raises:
        InputError: with only the reason.
        json.JSONDecodeError: for anything but JSON.
    """
    try:
        parsed_content = json.loads(content, object_pairs_hook=_keys_and_values)
        if "\\u" in content:  # only an escape can write half a character
            json.dumps(parsed_content, ensure_ascii=False).encode()
    except json.JSONDecodeError:
        raise
    except UnicodeEncodeError as error:
        raise InputError(f"found {half_character(error)}") from None
    except RecursionError:
        raise InputError(TOO_DEEP) from None
    except ValueError:  # the interpreter turns no longer ones into an int
        limit = sys.get_int_max_str_digits()
        raise InputError(
            f"found an integer of more than {limit:,} digits; allowed are fewer, or a string"
        ) from None
    return parsed_content


def _keys_and_values(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise InputError(f"the key {twice!r} stands {keys.count(twice)} times in one row")
    return row


def json_list_rows(content: str, where: str) -> Iterator[NumberedRow]:
    """Yield the entries of a list, texts or objects.

    Raises:
        InputError: naming `where` and the line or entry, if there is no such list.
    """
    try:
        rows = parsed(content)
    except json.JSONDecodeError as error:
        lines = "; it may be JSON lines: let its name end in .jsonl" * (error.msg == "Extra data")
        raise InputError(f"{where}, line {error.lineno}: is no JSON: {error}{lines}") from None
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    if not isinstance(rows, list):
        raise InputError(
            f"{where}: found {shortened(rows)}, expected a list of texts, or of keys and values"
        )
    for number, row in enumerate(rows, 1):
        if isinstance(row, dict | str):
            yield number, {"text": row} if isinstance(row, str) else row
        else:
            reason = f"expected a text, or keys and values, found {shortened(row)}"
            yield number, NoRow(reason)
