"""Finds how a tokenizer spells: the marks of word pieces, and how bytes are written.

WordPiece writes `##ing` for a piece inside a word, SentencePiece `▁the` and byte-level BPE `Ġthe`
for one that starts a word, and the latter every byte as a printable character: `Ã©` for é.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

BYTE = re.compile(r"<0x[0-9A-F]{2}>")  # a byte that SentencePiece falls back to
SPACE = "Ġ"  # byte-level BPE's


@dataclass(frozen=True)
class Spelling:
    """The spelling of a tokenizer's tokens."""

    algorithm: str
    """WordPiece, BPE, Unigram or WordLevel."""
    marks: Literal["continuation", "word_start", "word_end", "nothing"]
    """The meaning of `marker`: a token continues, starts or ends a word."""
    marker: str
    byte_level: bool
    """Whether the bytes of the text are written as separate characters."""

    def is_subword(self, token: str) -> bool:
        """Whether the marker says that a token is a piece of a word, but not the first.

        With marked ends of words: not the last.
        """
        if self.marks == "continuation":
            return token.startswith(self.marker) and token != self.marker
        if self.marks == "word_start":
            return not token.startswith(self.marker)
        return self.marks == "word_end" and not token.endswith(self.marker)

    def word_form(self, token: str) -> str | None:
        """The text of an ordinary token, without marker; None for bytes without text.

        The marker alone is the empty text, except a continuation marker, which is then text.
        """
        if self.marks == "word_end":
            body = token.removesuffix(self.marker)
        else:
            body = token.removeprefix(self.marker)
        if self.marks == "continuation":
            return body or token
        if self.byte_level:
            return _text_of_bytes(body)
        if BYTE.fullmatch(token):
            return None
        return body.replace(self.marker, " ") if self.marks == "word_start" else body


def spelling_of(backend: dict[str, Any]) -> Spelling:
    """Return the spelling of a tokenizer, from the JSON that the tokenizers library saves."""
    model = backend["model"]
    parts = [backend[key] for key in ("normalizer", "pre_tokenizer", "decoder")]
    steps = list(_steps(parts))
    byte_level = any(step["type"] == "ByteLevel" for step in steps)
    if prefix := model.get("continuing_subword_prefix"):
        return Spelling(model["type"], "continuation", prefix, byte_level)
    if suffix := model.get("end_of_word_suffix"):
        return Spelling(model["type"], "word_end", suffix, byte_level)
    if byte_level:
        return Spelling(model["type"], "word_start", SPACE, byte_level)
    if replacement := next(filter(None, map(_space_marker, steps)), ""):
        return Spelling(model["type"], "word_start", replacement, byte_level)
    return Spelling(model["type"], "nothing", "", byte_level)


def _steps(step: Any) -> Iterator[dict[str, Any]]:
    """A step and the steps inside."""
    if isinstance(step, dict):
        if "type" in step:
            yield step
        for inner in step.values():
            yield from _steps(inner)
    elif isinstance(step, list):
        for inner in step:
            yield from _steps(inner)


def _space_marker(step: dict[str, Any]) -> str:
    """Return what a step writes for a space, or "" if a space stays."""
    if step["type"] == "Metaspace":
        return str(step["replacement"])
    pattern = step.get("pattern")
    if step["type"] == "Replace" and isinstance(pattern, dict):
        replaced, content = pattern.get("String", ""), step["content"]
        return str(content if replaced == " " else replaced if content == " " else "")
    return ""


def _text_of_bytes(token: str) -> str | None:
    """Return the characters that byte-level BPE wrote as bytes; None if one of them is cut."""
    table = _bytes_by_character()
    if not set(token) <= set(table):
        return token  # added to the vocabulary as it is
    try:
        return bytes(table[character] for character in token).decode("utf-8")
    except UnicodeDecodeError:
        return None


@cache
def _bytes_by_character() -> dict[str, int]:
    """Return the bytes by character: printable Latin-1 as is, the rest in order from Ā on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(0x100) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {
        chr(0x100 + number): byte for number, byte in enumerate(others)
    }
