"""Marks the tokens of a text: separators, punctuation, and nouns with their articles."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pandas as pd
import regex
from jaxtyping import Bool, Int

from embspace.errors import InputError
from embspace.models.tokenizer import character_class
from embspace.models.windows import Window
from embspace.scripts.words import OF_WORD, WORD, goes_on

WORD_OR_SIGN = regex.compile(rf"{WORD}|[^{OF_WORD}\s]")


@dataclass(frozen=True)
class NounsAndArticles:
    """The closed lists for finding a noun's article, in lower case."""

    nouns: Collection[str]
    articles: Collection[str]
    longest_gap: int
    """The largest distance from an article to its noun, in words; 1: no word stands between."""


@dataclass(frozen=True, eq=False)
class TokensOfText:
    """The sets of tokens of a text that the features need."""

    separators: Bool[np.ndarray, " token"]
    punctuation: Bool[np.ndarray, " token"]
    ordinary: Bool[np.ndarray, " token"]
    nouns: Int[np.ndarray, " pair"]
    """The first token of every noun that has an article."""
    articles: Int[np.ndarray, " pair"]
    """The first token of this article."""


def tokens_of_text(
    window: Window, text: str, separator: int | None, lists: NounsAndArticles
) -> TokensOfText:
    """Return the sets of tokens of a window; `separator` is the id of the separator, if any.

    A token is punctuation if all of its characters are punctuation by Unicode.
    """
    shown = [text[start:end].strip() for start, end in zip(window.start, window.end, strict=True)]
    signs = np.array([bool(token) and character_class(token) == "punctuation" for token in shown])
    nouns, articles = _noun_pairs(window, text, lists)
    return TokensOfText(
        separators=window.special & (window.ids == (-1 if separator is None else separator)),
        punctuation=signs & ~window.special,
        ordinary=~window.special,
        nouns=nouns,
        articles=articles,
    )


def without_first_token(tokens: TokensOfText) -> TokensOfText:
    """Return the sets of the tokens after the first, and the pairs that do not include it."""
    kept = (tokens.nouns > 0) & (tokens.articles > 0)
    return TokensOfText(
        separators=tokens.separators[1:],
        punctuation=tokens.punctuation[1:],
        ordinary=tokens.ordinary[1:],
        nouns=tokens.nouns[kept] - 1,
        articles=tokens.articles[kept] - 1,
    )


def words_of_part(table: pd.DataFrame, part_of_speech: str, path: str) -> set[str]:
    """Return the words of a part of speech, in lower case.

    Raises:
        InputError: if the table lacks a column.
    """
    for column in ("word", "part_of_speech"):
        if column not in table:
            raise InputError(f"{path}: no column '{column}', found {', '.join(map(str, table))}")
    chosen = table["part_of_speech"] == part_of_speech
    return {str(word).lower() for word in table["word"][chosen]}


def _noun_pairs(
    window: Window, text: str, lists: NounsAndArticles
) -> tuple[Int[np.ndarray, " pair"], Int[np.ndarray, " pair"]]:
    """Return the tokens of nouns, and of the nearest article before every noun.

    An article belongs to the first noun after it, unless a sign stands between them or the noun is
    more than `longest_gap` words away.
    """
    pairs: list[tuple[int, int]] = []
    article, gap = -1, 0
    for match in WORD_OR_SIGN.finditer(text):
        word, place = match[0].lower(), _first_token(window, match.start())
        if place is None and match.start() >= window.end.max():  # it is cut off
            break
        gap += 1
        if place is None:  # it is unknown
            continue
        if word in lists.articles:
            article, gap = place, 0
        elif word in lists.nouns:
            if article >= 0 and gap <= lists.longest_gap:
                pairs.append((place, article))
            article = -1
        elif not goes_on(word[0]):
            article = -1
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def _first_token(window: Window, character: int) -> int | None:
    """Return the token that contains a character of the text; None if no token does."""
    holds = ~window.special & (window.start <= character) & (window.end > character)
    return int(holds.argmax()) if holds.any() else None
