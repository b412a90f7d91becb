"""Finds a word among the tokens of a text, and its state there."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.geometry.pairs.types import RowNumbers
from embspace.scripts.words import whole_word


@dataclass(frozen=True, eq=False)
class Occurrence:
    """The rows of a text's ordinary tokens in the token table."""

    own: RowNumbers
    """Of the word: those that share a character with it. None if the tokenizer left it out."""
    others: RowNumbers
    """All others; special tokens are in neither."""


def find_words(stimuli: pd.DataFrame, tokens: pd.DataFrame) -> list[Occurrence]:
    """Return where the `word` of each row of `stimuli` stands in the tokens of its `text`.

    `tokens` has `window`, the row of the stimulus, `special`, and the characters `start` to `end`
    of each token. The word counts whole, in capitals or not, at the first place.
    """
    ordinary = tokens[~tokens["special"].astype(bool)]
    window, start, end = (ordinary[name].to_numpy() for name in ("window", "start", "end"))
    row = ordinary.index.to_numpy(dtype=np.int64)
    found = []
    for number, (word, text) in enumerate(zip(stimuli["word"], stimuli["text"], strict=True)):
        first, last = character_span(word, text)
        here = window == number
        inside = here & (start < last) & (end > first)
        found.append(Occurrence(row[inside], row[here & ~inside]))
    return found


def character_span(word: str, text: str) -> tuple[int, int]:
    """First character of the word and the one after its last; (0, 0) if it is not there."""
    place = whole_word(word).search(text)
    return place.span() if place else (0, 0)


def mean_states(
    states: Float[np.ndarray, "layer token dim"], rows: Sequence[RowNumbers]
) -> Float[np.ndarray, "layer text dim"]:
    """The mean state of the tokens of each entry of `rows`, in float64; zero for none."""
    found = np.zeros((states.shape[0], len(rows), states.shape[2]))
    for number, chosen in enumerate(rows):
        if len(chosen):
            found[:, number] = states[:, chosen].mean(axis=1, dtype=np.float64)
    return found


def token_counts(
    ids: Int[np.ndarray, " token"], rows: Sequence[RowNumbers]
) -> Float[np.ndarray, "text id"]:
    """Return how often each id that occurs at all stands in each entry of `rows`."""
    known, column = np.unique(ids, return_inverse=True)
    counts = np.zeros((len(rows), len(known)))
    for number, chosen in enumerate(rows):
        np.add.at(counts[number], column[chosen], 1)
    return counts
