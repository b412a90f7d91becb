"""Whole words among the tokens of a text."""

from collections.abc import Sequence

import pandas as pd

from embspace.scripts.words import goes_on, is_unspaced, is_word, leans_back

JOINING = "'’-"
"""Characters inside words: a token beside a joining character is no whole word."""


def whole_words(
    tokens: pd.DataFrame, texts: Sequence[str], *, with_unspaced: bool = False
) -> list[str]:
    """Return the words of tokens in small letters; empty for a special token or a part of a word.

    `tokens` has `window`, a number in `texts`, `special`, and the characters `start` to `end`.
    `with_unspaced` takes each token of a script without spaces as a word, but for bytes of letters.
    """
    words = []
    columns = (tokens[name].tolist() for name in ("window", "special", "start", "end"))
    are_bytes = _share_letters(tokens)
    for window, special, start, end, is_byte in zip(*columns, are_bytes, strict=True):
        text = texts[window]
        piece = text[start:end]
        first = end - len(piece.lstrip())  # of byte-level tokenizers a space may lead
        beside = text[max(first - 1, 0) : first] + text[end : end + 1]
        if with_unspaced and is_unspaced(piece.strip()):
            joined = is_byte or leans_back(text[end : end + 1])
        else:
            joined = any(goes_on(character) or character in JOINING for character in beside)
        is_whole = not special and is_word(piece.strip()) and not joined
        words.append(piece.strip().lower() if is_whole else "")
    return words


def _share_letters(tokens: pd.DataFrame) -> list[bool]:
    """Return by token whether a neighbor has the same letter, as bytes of a letter do."""
    window, start, end = (tokens[name] for name in ("window", "start", "end"))
    is_after = (window == window.shift()) & (start < end.shift()) & (end > start)
    return (is_after | is_after.shift(-1, fill_value=False)).tolist()
