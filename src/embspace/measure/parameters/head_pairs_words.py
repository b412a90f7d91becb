"""Finds tokens that are equal, that join into a word, or that stand in one list of words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from jaxtyping import Int

from embspace.errors import InputError
from embspace.files.tables import load_table
from embspace.geometry.parameters.pair_categories import (
    Relation,
    equal_tokens,
    joined_tokens,
    shared_value,
)
from embspace.models.spelling import Spelling

EQUAL = "equal"
JOINED = ("joined", "joined_backwards")
PART_OF_SPEECH = "part_of_speech"
RESERVED = (EQUAL, *JOINED, PART_OF_SPEECH)
NO_WORDS = ("special", "unused")
ListedWords = Sequence[tuple[str, str]]
"""Words of a category, each with a value; a word may have several values."""


@dataclass(frozen=True, eq=False)
class Words:
    """Holds the texts, classes and lists of the tokens of a vocabulary."""

    shown: list[str]
    """The tokens as the tokenizer spells them."""
    classes: Int[np.ndarray, " token"]
    """The class of a token; tokens of the same text, in lower case without marks, share one."""
    ordinary: Int[np.ndarray, " some"]
    """The tokens that are neither special nor unused."""
    equal: Relation
    relations: dict[str, Relation]
    """The relation of every category but `equal`; pairs of equal tokens are left out of them."""
    n_words: dict[str, int]
    """The number of tokens that have a value, by list."""


def words_of(
    shown: Sequence[str],
    kinds: Sequence[str],
    spelling: Spelling | None,
    lists: Mapping[str, ListedWords],
) -> Words:
    """Return known facts about a vocabulary's tokens; `kinds` come from `vocabulary_table`.

    A token has the values of the lower-case text in a list, unless marked as going on inside a
    word. A joined word starts a word, where tokens are marked.
    """
    texts = [_text(token, spelling) for token in shown]
    goes_on = [spelling is not None and spelling.is_subword(token) for token in shown]
    # Where the starts of words are marked, a word may stand without the mark: after a bracket.
    marked = spelling is not None and spelling.marks != "word_start"
    in_lists = ["" if marked and on else text for text, on in zip(texts, goes_on, strict=True)]
    classes = pd.factorize(np.array(texts, dtype=object))[0].astype(np.int64)
    joined = joined_tokens(texts, [not on for on in goes_on])
    relations: dict[str, Relation] = {
        "joined": joined,
        "joined_backwards": lambda first, second: joined(second, first),
    }
    n_words = {}
    for name, values in lists.items():
        numbers = _numbers(in_lists, values)
        relations[name] = shared_value(numbers)
        n_words[name] = sum(map(bool, numbers))
    ordinary = np.array([kind not in NO_WORDS for kind in kinds], dtype=bool).nonzero()[0]
    return Words(list(shown), classes, ordinary, equal_tokens(classes), relations, n_words)


def load_word_lists(folder: str, words: pd.DataFrame) -> dict[str, ListedWords]:
    """Return the lists of a folder, one file per category, and the parts of speech of `words`.

    Raises:
        InputError: for a file without the columns word and value, or with an empty cell, and for a
            file named after a category that has no list.
    """
    lists: dict[str, ListedWords] = {}
    for path in sorted(Path(folder).glob("*.csv")):
        if path.stem in RESERVED:
            raise InputError(
                f"{path}: '{path.stem}' is a category without a list; allowed: another name than "
                f"{', '.join(RESERVED)}"
            )
        table = load_table(str(path))
        if list(table.columns) != ["word", "value"]:
            raise InputError(f"{path}: expected the columns word, value, found {[*table.columns]}")
        if table.isna().any(axis=None):
            raise InputError(f"{path}: a word or a value is empty")
        words_in = table["word"].astype(str).str.lower()
        lists[path.stem] = list(zip(words_in, table["value"], strict=True))
    parts = zip(words["word"].str.lower(), words["part_of_speech"], strict=True)
    return lists | {PART_OF_SPEECH: [(str(word), str(part)) for word, part in parts]}


def _text(token: str, spelling: Spelling | None) -> str:
    """Return the text of a token in lower case; bytes that are no text stay as they are."""
    body = token if spelling is None else spelling.word_form(token)
    return (token if body is None else body).strip().lower()


def _numbers(texts: Sequence[str], values: ListedWords) -> list[list[int]]:
    """Return the numbers of the values of every text."""
    number_of = {value: number for number, value in enumerate(dict.fromkeys(v for _, v in values))}
    numbers_of_word: dict[str, set[int]] = {}
    for word, value in values:
        numbers_of_word.setdefault(word, set()).add(number_of[value])
    return [sorted(numbers_of_word.get(text, ())) for text in texts]
