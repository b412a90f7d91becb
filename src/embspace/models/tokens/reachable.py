"""Finds the entries of a vocabulary that no text is read as.

A neighbor in the text can only take characters away from a token. So an entry is reached if the
tokenizer makes the entry of the entry's own text, alone or behind a character that does not join.
Parts of characters stay open: no list of texts exhausts the combinations.
"""

import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from embspace.models.spelling import BYTE, Spelling

BEFORE = ("a", "x", "7", ".", "\n", " ", "a ", "й", "ا", "क", "가")
MOST_BEFORE = 60  # letters of the vocabulary, tried for what these few do not show
BATCH = 20_000  # texts that are encoded at once
PER_TEXT = 500  # characters that are tried in one text
NEVER = {chr(byte) for byte in (0xC0, 0xC1, *range(0xF5, 0x100))}
"""Bytes outside UTF-8, as byte-level BPE spells bytes."""


@dataclass(frozen=True)
class Entry:
    """Whether texts reach a token, and the tokens that its text becomes otherwise."""

    status: str
    """reachable; special (for no text); unreachable; open (a part of a character, reached by no
    single character)."""
    reason: str = ""
    """Why it is unreachable: mark (of the makers), normalized, split, other pieces or no text."""
    read_as: tuple[str, ...] = ()


def entries(tokenizer: Any, spelling: Spelling, names: Sequence[str]) -> list[Entry]:
    """Return whether texts reach the entries of a vocabulary, in the order of ids.

    `tokenizer` is made by `read_tokenizer`; `names` are the tokens by id.
    """
    backend = tokenizer.backend_tokenizer
    special = set(tokenizer.all_special_tokens)
    there = backend.get_vocab()
    added = backend.get_added_tokens_decoder().values()
    marks = {token.content for token in added if token.special}
    ids = [n for n, name in enumerate(names) if name in there and name not in special]
    forms = {number: spelling.word_form(names[number]) for number in ids}
    reached = _reached(backend, spelling, names, forms)
    made = []
    for number, name in enumerate(names):
        if name in special:
            made.append(Entry("special"))
        elif number in reached:
            made.append(Entry("reachable"))
        elif number in forms and forms[number] is None and _may_be_part(name, spelling):
            made.append(Entry("open"))
        elif name in marks:
            made.append(Entry("unreachable", "mark"))
        else:
            made.append(_unreachable(backend, forms.get(number), name, spelling))
    return made


def _reached(
    backend: Any, spelling: Spelling, names: Sequence[str], forms: dict[int, str | None]
) -> set[int]:
    left = {number: text for number, text in forms.items() if text}
    single = [text for text in left.values() if len(text) == 1 and text.isalnum()]
    reached: set[int] = set()
    for before in ("", *BEFORE, *single[:MOST_BEFORE]):
        reached |= _read(backend, [_within(before, left[n], names[n], spelling) for n in left])
        left = {number: text for number, text in left.items() if number not in reached}
        if before == BEFORE[-1]:  # whatever stands before these, nothing joins what is split
            left = {n: text for n, text in left.items() if not _is_split(backend, f"a{text}")}
    if any(text is None for text in forms.values()):
        reached |= _read(backend, _characters())
    return reached


def _within(before: str, text: str, name: str, spelling: Spelling) -> str:
    goes_on = spelling.marks == "word_end" and spelling.is_subword(name)
    return f"{before}{text}{'a' if goes_on else ''}"


def _is_split(backend: Any, text: str) -> bool:
    splitter = backend.pre_tokenizer
    return splitter is not None and len(splitter.pre_tokenize_str(text)) > 1


def _read(backend: Any, texts: Iterable[str]) -> set[int]:
    """Return all ids of texts."""
    reached: set[int] = set()
    batch: list[str] = []
    for text in texts:
        batch.append(text)
        if len(batch) == BATCH:
            reached |= _ids(backend, batch)
            batch = []
    return reached | _ids(backend, batch)


def _ids(backend: Any, batch: list[str]) -> set[int]:
    encoded = backend.encode_batch_fast(batch, add_special_tokens=False)
    return {number for encoding in encoded for number in encoding.ids}


def _characters() -> Iterator[str]:
    """Yield texts of all characters assigned by Unicode, between spaces and behind an a."""
    codes = (chr(code) for code in range(sys.maxunicode + 1))
    assigned = [code for code in codes if unicodedata.category(code) not in ("Cn", "Cs", "Co")]
    for first in range(0, len(assigned), PER_TEXT):
        part = assigned[first : first + PER_TEXT]
        yield " ".join(part)
        yield " ".join(f"a{character}" for character in part)


def _may_be_part(name: str, spelling: Spelling) -> bool:
    """Whether a token is bytes of a possible text."""
    if BYTE.fullmatch(name):
        return False  # one character shows it, and each was tried
    return not NEVER & set(name.removeprefix(spelling.marker))


def _unreachable(backend: Any, text: str | None, name: str, spelling: Spelling) -> Entry:
    if not text:
        return Entry("unreachable", "no text")
    read_as = tuple(backend.encode(text, add_special_tokens=False).tokens)
    normalizer = backend.normalizer
    if normalizer and normalizer.normalize_str(text).strip(" ▁") != text.strip(" ▁"):
        return Entry("unreachable", "normalized", read_as)
    goes_on = spelling.is_subword(name)
    is_split = _is_split(backend, f"a{text}" if goes_on else text)
    return Entry("unreachable", "split" if is_split else "other pieces", read_as)
