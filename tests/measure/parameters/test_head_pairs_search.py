"""Holds the search for the pairs of heads to all pairs of a small vocabulary."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.geometry.parameters.pair_categories import equal_tokens
from embspace.measure.parameters.head_pairs_search import (
    PairSearch,
    check_size,
    head_places,
    in_threads,
    listed,
    pair_rows,
)
from embspace.measure.parameters.head_pairs_words import Words
from tests.lazy import torch
from tests.models.parameters.known import N_TOKENS, known_parameters

MODEL = known_parameters(0)
CLASSES = np.arange(N_TOKENS)
LONGER = np.zeros((41, 8), dtype=np.float32)
SEARCH = PairSearch(MODEL, CLASSES, {"all": CLASSES, "some": CLASSES[:9]}, 5)


def words() -> Words:
    none = {"never": equal_tokens(np.full(N_TOKENS, -1)), "always": equal_tokens(CLASSES * 0)}
    return Words(MODEL.tokens, CLASSES, CLASSES, equal_tokens(CLASSES), none, {})


def test_pairs_are_those_of_all_scores() -> None:
    x, y = SEARCH.factors(2, 1, "query_key")
    scores = x.astype(np.float64) @ y.astype(np.float64).T
    pairs = SEARCH.pairs(x, y)
    order = np.argsort(-scores, axis=None)[:10]
    best = pairs["all"].all
    assert best.rows * N_TOKENS + best.columns == pytest.approx(order)
    assert best.scores == pytest.approx(scores.ravel()[order])
    assert pairs["some"].all.rows.max() < 9 and pairs["some"].all.columns.max() < 9
    assert (pairs["all"].unequal.rows != pairs["all"].unequal.columns).all()


def test_shuffled_heads_are_at_equal_distances_and_follow_the_generator() -> None:
    places = head_places(MODEL)
    assert listed(places) == [(1, 1), (1, 2), (2, 1), (2, 2)]
    first, again, other = (
        SEARCH.shuffled(places, "value_output", 2, np.random.default_rng(seed))["all"]
        for seed in (0, 0, 1)
    )
    assert len(first) == 2
    assert (first[0].unequal.rows == again[0].unequal.rows).all()
    assert first[0].unequal.scores[0] != other[0].unequal.scores[0]


def test_threads_keep_the_order_and_leave_their_number_as_it_was() -> None:
    before = torch.get_num_threads()
    assert in_threads(lambda a, b: a * b, [(n, 2) for n in range(50)]) == [*range(0, 100, 2)]
    with pytest.raises(ZeroDivisionError):
        in_threads(lambda a: 1 // a, [(1,), (0,)])
    assert torch.get_num_threads() == before


def test_rows_name_tokens_and_categories() -> None:
    places = head_places(MODEL).head(1)
    pairs = [
        SEARCH.pairs(*SEARCH.factors(*place, "value_output"))["all"] for place in listed(places)
    ]
    rows = pd.DataFrame(pair_rows(pairs, places.assign(form="value_output"), words(), 3))
    assert rows["rank"].tolist() == [1, 2, 3]
    assert rows["row"].iloc[0] == MODEL.tokens[pairs[0].unequal.rows[0]]
    assert set(rows["categories"]) == {"always"}


def test_a_vocabulary_of_another_size_is_refused() -> None:
    check_size(MODEL, words())
    longer = replace(MODEL, input_embedding=LONGER, output_embedding=LONGER)
    with pytest.raises(InputError, match=f"has {N_TOKENS} tokens, the output embedding 41 rows"):
        check_size(longer, words())
