"""Tests of the shares of categories and of the rule by which a head holds one."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.geometry.parameters.vocabulary_pairs import VocabularyPairs
from embspace.measure.parameters.head_pairs_forms import TopPairs
from embspace.measure.parameters.head_pairs_shares import Rules, share_rows
from embspace.measure.parameters.head_pairs_words import words_of

WORDS = words_of(
    [f"w{n}" for n in range(200)],
    ["word"] * 200,
    None,
    {"place": [(f"w{n}", "place") for n in range(20)]},
)
RULES = Rules(n_pairs=4, n_permutations=99, least_share=0.5, significance=0.05, seed=0)


def head_pairs(rows: list[int], columns: list[int]) -> TopPairs:
    """A head with these top pairs, and none of equal tokens."""
    first, second = (np.array(ids, dtype=np.int64) for ids in (rows, columns))
    pairs = VocabularyPairs(first, second, -np.arange(float(len(rows))))
    return TopPairs(pairs, pairs)


PLACES = head_pairs([0, 1, 2, 3], [4, 5, 6, 7])
ONE_PLACE = head_pairs([0, 101, 102, 103], [4, 105, 106, 107])
OTHERS = head_pairs([100, 101, 102, 103], [104, 105, 106, 107])


def rows(trained: list[TopPairs], shuffled: list[TopPairs]) -> pd.DataFrame:
    heads = pd.DataFrame({"layer": 1, "head": np.arange(len(trained)) + 1})
    heads = heads.assign(tokens="all", form="query_key")
    table = share_rows(trained, shuffled, heads, WORDS, WORDS.ordinary, RULES)
    return table.query("category == 'place'").reset_index(drop=True)


def test_a_head_holds_a_category_by_a_large_share_that_chance_does_not_give():
    table = rows([PLACES, ONE_PLACE, OTHERS], [OTHERS, OTHERS])
    assert table["share"].tolist() == [1, 0.25, 0]
    assert table["above_null"].tolist() == [True, False, False]
    assert table["p_value"].iloc[0] == table["p_value_over_heads"].iloc[0] == 0.01
    assert table["permuted_mean"].iloc[0] == pytest.approx(0.1, abs=0.04)
    assert (table["n_pairs"] == 4).all()


def test_a_category_that_shuffled_heads_hold_too_is_none_of_the_head():
    table = rows([PLACES], [PLACES, OTHERS])
    assert not table["above_null"].any()
    assert (table["shuffled_mean"] == 0.5).all() and (table["shuffled_largest"] == 1).all()
    assert table["shuffled_p_value"].iloc[0] == pytest.approx(2 / 3)


def test_what_a_list_has_in_common_is_not_of_its_single_pairs():
    table = rows([PLACES], [OTHERS])
    assert table["paired_anew_mean"].iloc[0] == table["paired_anew_p_value"].iloc[0] == 1


def test_a_head_without_pairs_has_no_share():
    nothing: Any = head_pairs([], [])
    table = rows([PLACES, nothing], [OTHERS])
    assert np.isnan(table["share"].iloc[1]) and table["n_pairs"].iloc[1] == 0
    assert table["above_null"].tolist() == [True, False]


def test_every_number_of_equal_pairs():
    """Two heads, of which one has two pairs of a token with itself among its first four."""
    equal = TopPairs(
        unequal=VocabularyPairs(np.arange(4), np.arange(4) + 4, -np.arange(4.0)),
        all=VocabularyPairs(np.arange(8), np.array([0, 1, 9, 9, 4, 5, 6, 7]), -np.arange(8.0)),
    )
    heads = pd.DataFrame({"layer": [1, 2], "head": [3, 4], "tokens": "all", "form": "x"})
    table = share_rows([equal, OTHERS], [OTHERS], heads, WORDS, WORDS.ordinary, RULES)
    equal_rows = (
        table[table["category"] == "equal"] if "equal" in set(table["category"]) else table[:2]
    )
    assert equal_rows["share"].tolist() == [0.5, 0]
    assert equal_rows[["layer", "head"]].to_numpy().tolist() == [[1, 3], [2, 4]]
    assert equal_rows["n_pairs"].tolist() == [4, 4]
    assert equal_rows["shuffled_mean"].tolist() == equal_rows["shuffled_largest"].tolist() == [0, 0]
    assert equal_rows["shuffled_p_value"].tolist() == pytest.approx([1 / 2, 1])
    assert equal_rows["above_null"].tolist() == [True, False]


def test_a_share_of_just_what_is_asked_is_enough_and_one_that_chance_has_is_not():
    two = head_pairs([0, 1, 102, 103], [4, 5, 106, 107])
    assert rows([two], [OTHERS])["above_null"].tolist() == [True]
    assert rows([two], [two])["above_null"].tolist() == [False]
