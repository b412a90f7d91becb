"""Describes the tokens of a vocabulary: the text that a token stands for, and its kind."""

import re

import pandas as pd

from embspace.models.spelling import Spelling
from embspace.scripts.words import is_word

DIGITS = re.compile(r"[0-9]+")
NO_WORDS = ("special", "unused", "byte")  # kinds that stand for no text


def described_tokens(vocabulary: pd.DataFrame, spelling: Spelling) -> pd.DataFrame:
    """Return a row per token: id, token, text (its word form), subword, kind, n_characters.

    `kind` is the first of `KINDS` in `vocabulary_id_ranges` that fits. A special or unused token is
    its own text, a byte has none; `n_characters` is NaN for all three.
    """
    rows = []
    for number, token, given in vocabulary[["id", "token", "kind"]].itertuples(index=False):
        stands_apart = given in ("special", "unused")
        text = token if stands_apart else spelling.word_form(token)
        subword = not stands_apart and text is not None and spelling.is_subword(token)
        kind = given if stands_apart else _kind(text, subword)
        n_characters = float("nan") if kind in NO_WORDS else len(text or "")
        rows.append((number, token, text or "", subword, kind, n_characters))
    return pd.DataFrame(rows, columns=["id", "token", "text", "subword", "kind", "n_characters"])


def _kind(text: str | None, subword: bool) -> str:
    if text is None:
        return "byte"
    if len(text) == 1:
        return "ascii_character" if text.isascii() else "other_character"
    if subword:
        return "subword"
    if DIGITS.fullmatch(text):
        return "number"
    return "word" if is_word(text) else "other"
