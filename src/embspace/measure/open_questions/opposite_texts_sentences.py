"""Sentences of single-token words, and the words that may replace them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import regex
from jaxtyping import Int

from embspace.files.rows import load_rows
from embspace.models.windows import Window, cut_windows
from embspace.prepare.sentences import split_sentences

# A run of letters; not part of a number, of "don't" or of "well-known".
WORD = regex.compile(r"(?<![\p{L}\p{M}\p{N}'’-])\p{L}+(?![\p{L}\p{M}\p{N}'’-])")
OTHER_WORD = regex.compile(r"[\p{L}\p{N}]+")


@dataclass(frozen=True, eq=False)
class Sentence:
    """A sentence in parts; every second part is a single-token word."""

    parts: tuple[str, ...]
    ids: Int[np.ndarray, " token"]
    """All tokens, special tokens included."""
    places: tuple[int, ...]
    """The place of every word among the tokens."""

    @property
    def text(self) -> str:
        """The sentence."""
        return "".join(self.parts)

    def with_word(self, number: int, word: str, token: int) -> "Sentence":
        """Return the sentence with one word replaced, capitalized like the word before it."""
        parts, ids = list(self.parts), self.ids.copy()
        before = parts[2 * number + 1]
        parts[2 * number + 1] = word.capitalize() if before[0].isupper() else word
        ids[self.places[number]] = token
        return replace(self, parts=tuple(parts), ids=ids)


@dataclass(frozen=True, eq=False)
class Words:
    """The words for replacements: in small letters, single tokens, from the corpora."""

    texts: list[str]
    ids: Int[np.ndarray, " word"]


def load_sentences(folder: str, corpora: Sequence[str]) -> list[str]:
    """Return the sentences of all texts of the corpora, each once."""
    tables = [load_rows(f"{folder}/{corpus}.parquet") for corpus in corpora]
    texts = (text for table in tables for text in table["text"])
    return [*dict.fromkeys(part for text in texts for part in split_sentences(text))]


def read_sentences(
    sentences: Sequence[str], tokenizer: Any, window: int, fewest: int, most: int
) -> tuple[list[Sentence], Words]:
    """Return the sentences of `fewest` to `most` single-token words, and the words for changes.

    A sentence with a number, or with a word of several tokens, is left out. Words for changes are
    single tokens in small letters, from all sentences, but not from the beginning of a sentence.
    """
    windows = cut_windows(sentences, tokenizer, window) if sentences else []
    several = {part.text for part in windows if part.number}
    chosen: list[Sentence] = []
    words: dict[str, int] = {}
    for part in windows:
        text = sentences[part.text]
        tokens = tokens_by_place(text, part)
        spans = [match.span() for match in WORD.finditer(text)]
        for start, end in spans:
            if start and (start, end) in tokens and text[start:end].islower():
                words.setdefault(text[start:end], int(part.ids[tokens[start, end]]))
        single = all(span in tokens for span in spans)
        whole = len(spans) == sum(1 for _ in OTHER_WORD.finditer(text))
        if part.text not in several and single and whole and fewest <= len(spans) <= most:
            places = tuple(tokens[span] for span in spans)
            chosen.append(Sentence(tuple(_parts(text, spans)), part.ids, places))
    names = sorted(words)
    return chosen, Words(names, np.array([words[name] for name in names], dtype=np.int64))


def tokens_by_place(text: str, window: Window) -> Mapping[tuple[int, int], int]:
    """Return the place of every token, by the token's first character and end, without space."""
    places = {}
    for number in np.flatnonzero(~window.special & ~window.repeated):
        start, end = int(window.start[number]), int(window.end[number])
        inner = text[start:end]
        start += len(inner) - len(inner.lstrip())
        places[start, end] = int(number)
    return places


def _parts(text: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    return [text[start:end] for start, end in zip(edges, edges[1:], strict=False)]
