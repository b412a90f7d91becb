"""Texts of a call from Python."""

import json
from collections.abc import Iterable

from embspace.errors import InputError


def checked_texts(texts: object) -> list[str]:
    """Return the texts as a list.

    Raises:
        InputError: if there is no text, or a text is empty, no string or no UTF-8.
    """
    if isinstance(texts, str):
        raise InputError("texts: found one string, expected a list of them: [text]")
    if not isinstance(texts, Iterable):
        raise InputError(f"texts: found {texts!r:.60}, expected a list of strings")
    checked: list[str] = []
    for number, text in enumerate(texts, 1):
        if not isinstance(text, str):
            raise InputError(f"texts: text {number} is {text!r:.60}, not a string")
        if not text.strip():
            raise InputError(f"texts: text {number} is empty")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise InputError(f"texts: text {number} is not UTF-8") from None
        checked.append(text)
    if not checked:
        raise InputError("texts: found none")
    return checked


def as_json_lines(texts: list[str]) -> bytes:
    """Return the texts as a corpus's file, numbered from 1."""
    lines = [
        json.dumps({"id": str(number), "text": text}, ensure_ascii=False)
        for number, text in enumerate(texts, 1)
    ]
    return ("\n".join(lines) + "\n").encode()
