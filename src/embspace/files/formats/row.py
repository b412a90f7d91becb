"""A row of a table with the number of its line, or the reason for a missing row."""

from typing import Any, NamedTuple


class NoRow(NamedTuple):
    """Holds the reason why a line is no row, as the end of a sentence, in the place of the row."""

    reason: str
    is_foreign: bool = False
    """Whether a byte of the row is not UTF-8."""


NumberedRow = tuple[int, dict[str, Any] | NoRow]
"""The number of the line, or of the row in formats without lines, from 1, and the cells."""


def half_character(error: UnicodeEncodeError) -> str:
    """Return the byte or half of a character that keeps a string from being text."""
    half = error.object[error.start]
    if "\udc80" <= half <= "\udcff":  # what Python reads a byte as that is no UTF-8
        byte = f"the byte 0x{ord(half) - 0xDC00:02X}, which is no UTF-8"
        return f"{byte}, or {half!r}, half of a pair of surrogates; save the file as UTF-8"
    return f"{half!r}, half of a pair of surrogates; allowed: whole characters"


def foreign_byte(line: str) -> NoRow | None:
    """Return the reason for a line that holds a byte that is not UTF-8, else None."""
    if line.isascii():
        return None
    try:
        line.encode()
    except UnicodeEncodeError as error:
        byte = ord(line[error.start]) - 0xDC00
        return NoRow(f"the byte 0x{byte:02x} is not UTF-8", is_foreign=True)
    return None


def line_of_foreign(content: str) -> int:
    """Return the number of the line with the first byte that is not UTF-8."""
    try:
        content.encode()
    except UnicodeEncodeError as error:
        return content.count("\n", 0, error.start) + 1
    return 0
