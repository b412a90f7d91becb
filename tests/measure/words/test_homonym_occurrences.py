from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.measure.words.homonym_occurrences import (
    character_span,
    find_words,
    mean_states,
    token_counts,
)

COLUMNS = ["window", "special", "start", "end"]


def stimuli(*rows: tuple[str, str]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["word", "text"])


def tokens(*rows: tuple[Any, ...]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=COLUMNS)


TWO = tokens(
    (0, True, 0, 0),
    (0, False, 0, 1),  # A
    (0, False, 2, 4),  # mo
    (0, False, 4, 7),  # use
    (0, False, 7, 8),  # .
    (0, True, 0, 0),
    (1, True, 0, 0),
    (1, False, 0, 5),  # Mouse
    (1, False, 5, 7),  # s'
    (1, True, 0, 0),
)


def test_the_tokens_of_a_word_cut_in_two_and_all_others():
    first, second = find_words(stimuli(("mouse", "A mouse."), ("mouse", "Mouse s'")), TWO)
    assert first.own.tolist() == [2, 3]
    assert first.others.tolist() == [1, 4]
    assert second.own.tolist() == [7]
    assert second.others.tolist() == [8]


def test_a_token_that_takes_in_the_space_before_counts():
    # Byte-level tokenizers give the space to the word.
    (found,) = find_words(
        stimuli(("cat", "The cat sat")),
        tokens((0, False, 0, 3), (0, False, 3, 7), (0, False, 7, 11)),
    )
    assert found.own.tolist() == [1]
    assert found.others.tolist() == [0, 2]


def test_special_tokens_are_in_neither_even_where_the_word_comes_first():
    # They say that they span characters 0 to 0, or, in some tokenizers, whole texts.
    (found,) = find_words(stimuli(("cat", "Cat")), tokens((0, True, 0, 3), (0, False, 0, 3)))
    assert found.own.tolist() == [1]
    assert found.others.tolist() == []


def test_a_word_without_tokens_has_none():
    found = find_words(stimuli(("cat", "A cat"), ("cat", "A cat")), tokens((0, False, 0, 1)))
    assert [len(each.own) for each in found] == [0, 0]
    assert [len(each.others) for each in found] == [1, 0]
    assert [len(each.own) for each in find_words(stimuli(("cat", "A cat")), TWO[:0])] == [0]


@pytest.mark.parametrize(
    ("word", "text", "span"),
    [
        ("bat", "A combat, then a BAT!", (17, 20)),
        ("bat", "batting", (0, 0)),
        ("a.b", "axb a.b", (4, 7)),
        ("कि", "किताब कि", (6, 8)),  # "book" begins so
        ("caf\u00e9", "a cafe\u0301", (2, 7)),
    ],
)
def test_the_whole_word_is_found_in_capitals_or_not(word: str, text: str, span: tuple[int, int]):
    assert character_span(word, text) == span


def test_the_state_of_several_tokens_is_their_mean():
    states = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    rows = [np.array([0, 2]), np.array([1]), np.array([], dtype=np.int64)]
    found = mean_states(states, rows)
    assert found.dtype == np.float64
    assert found.tolist() == [
        [[2.0, 3.0], [2.0, 3.0], [0.0, 0.0]],
        [[8.0, 9.0], [8.0, 9.0], [0.0, 0.0]],
    ]


def test_a_bag_of_words_counts_each_id():
    counts = token_counts(np.array([7, 9, 7, 5]), [np.array([0, 1, 2]), np.array([3])])
    # Of the ids 5, 7, 9.
    assert counts.tolist() == [[0, 2, 1], [1, 0, 0]]
