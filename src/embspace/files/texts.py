"""Texts: one JSON object a line with `id` and `text`, or plain text, one text a line."""

import json
from dataclasses import dataclass
from pathlib import Path

from embspace.errors import InputError


@dataclass(frozen=True)
class Texts:
    """Texts and their names, in the order of the file."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]


def load_texts(path: str) -> Texts:
    """The texts of a .jsonl or .txt file; in .txt the id is the line's number.

    Raises:
        InputError: naming the line, for an empty text, a missing key, a repeated id, bytes that
            are no UTF-8; naming the file, if it holds no text.
    """
    file = Path(path)
    readers = {".jsonl": _json_line, ".txt": _plain_line}
    if file.suffix not in readers:
        raise InputError(f"{path}: found the ending '{file.suffix}', allowed: {', '.join(readers)}")
    pairs = [
        readers[file.suffix](line, number, path) for number, line in enumerate(_lines(file), 1)
    ]
    if not pairs:
        raise InputError(f"{path}: holds no text")
    ids, texts = zip(*pairs, strict=True)
    _check(ids, texts, path)
    return Texts(ids, texts)


def _lines(file: Path) -> list[str]:
    try:
        # Not splitlines(): it also breaks at characters that a text may hold.
        content = file.read_text(encoding="utf-8")
        return content.removesuffix("\n").split("\n") if content.strip() else []
    except FileNotFoundError:
        raise InputError(f"{file}: not found") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: is not UTF-8: {error}") from None


def _plain_line(line: str, number: int, path: str) -> tuple[str, str]:
    return str(number), line


def _json_line(line: str, number: int, path: str) -> tuple[str, str]:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}, line {number}: is no JSON: {error}") from None
    if not isinstance(row, dict) or not {"id", "text"} <= row.keys():
        raise InputError(f"{path}, line {number}: expected the keys 'id' and 'text', found {row!r}")
    if not isinstance(row["text"], str):
        raise InputError(f"{path}, line {number}: key 'text': found {row['text']!r}, not a string")
    return str(row["id"]), row["text"]


def _check(ids: tuple[str, ...], texts: tuple[str, ...], path: str) -> None:
    seen: dict[str, int] = {}
    for number, (name, text) in enumerate(zip(ids, texts, strict=True), 1):
        if not text.strip():
            raise InputError(f"{path}, line {number}: the text '{name}' is empty")
        if name in seen:
            raise InputError(f"{path}, line {number}: the id '{name}' is that of line {seen[name]}")
        seen[name] = number
