"""Tests of `embspace.geometry.parameters.pair_categories`."""

import numpy as np
import pytest

from embspace.geometry.parameters import pair_categories
from embspace.geometry.parameters.pair_categories import (
    PairLists,
    category_shares,
    equal_tokens,
    joined_tokens,
    p_values,
    paired_anew_shares,
    permuted_shares,
    shared_value,
)

TOKENS = ["cat", "Cat", "s", "cats", "king", "queen", "at", "c"]
CLASSES = np.array([0, 0, 1, 2, 3, 4, 5, -1])
equal = equal_tokens(CLASSES)


def ids(*numbers: int) -> np.ndarray:
    return np.array(numbers)


def test_equal_tokens_share_a_class_and_minus_1_equals_nothing():
    assert equal(ids(0, 0, 7), ids(1, 2, 7)).tolist() == [True, False, False]


def test_tokens_share_a_value_if_any_of_theirs_is_one():
    relation = shared_value([[], [0], [1, 0], [2]])
    assert relation(ids(0, 1, 2, 3), ids(0, 2, 3, 3)).tolist() == [False, True, False, True]
    assert not shared_value([[], []])(ids(0), ids(1)).any()


def test_joined_tokens_make_one_word_in_their_order():
    relation = joined_tokens([token.lower() for token in TOKENS], [True] * len(TOKENS))
    assert relation(ids(0, 1, 2, 7), ids(2, 2, 0, 6)).tolist() == [True, True, False, True]
    only_cat = joined_tokens([token.lower() for token in TOKENS], [True] + [False] * 7)
    assert only_cat(ids(0, 7), ids(2, 6)).tolist() == [False, True]
    assert not joined_tokens(["a", "b"], [True, True])(ids(0), ids(1)).any()


def test_shares_are_of_the_pairs_that_there_are():
    lists = PairLists.of([(ids(0, 4, 3), ids(1, 5, 2)), (ids(4), ids(5)), (ids(), ids())], 2)
    assert lists.rows.tolist() == [[0, 4], [4, -1], [-1, -1]]
    assert category_shares(lists, equal).tolist()[:2] == [0.5, 0]
    assert np.isnan(category_shares(lists, equal)[2])
    assert lists.unequal(equal, 1).rows.tolist() == [[4], [4], [-1]]


def test_the_tokens_of_rows_alone_are_permuted():
    # 2 of 100 tokens are in the category: the mean share is that of a random token, 1/100 for
    # each pair, whose column is in it.
    relation = shared_value([[0], [0]] + [[]] * 98)
    lists = PairLists.of([(ids(0, 1, 0, 5), ids(1, 0, 1, 6))], 4)
    drawn = permuted_shares(
        lists,
        {"category": relation},
        equal_tokens(np.arange(100)),
        np.arange(100),
        n_pairs=3,
        n_draws=300,
        generator=np.random.default_rng(0),
    )["category"]
    assert drawn.shape == (300, 1)
    assert drawn.mean() == pytest.approx(0.01, abs=0.01)


def test_draws_do_not_depend_on_how_many_are_made_at_once(monkeypatch: pytest.MonkeyPatch):
    lists = PairLists.of([(ids(0, 1, 2), ids(3, 4, 5)), (ids(6), ids(7))], 3)
    relations = {"value": shared_value([[0], [1], [0], [1], [0], [1], [0], [1]])}

    def drawn() -> list[np.ndarray]:
        rng = np.random.default_rng(0)
        given = (lists, relations, equal_tokens(np.arange(8)))
        return [
            permuted_shares(*given, np.arange(8), n_pairs=2, n_draws=20, generator=rng)["value"],
            paired_anew_shares(*given, n_draws=20, generator=rng)["value"],
        ]

    at_once = drawn()
    monkeypatch.setattr(pair_categories, "AT_ONCE", 13)
    for one, other in zip(at_once, drawn(), strict=True):
        assert one.shape == (20, 2)
        assert np.array_equal(one, other, equal_nan=True)


def test_permutations_leave_tokens_alone_that_are_not_among_them():
    lists = PairLists.of([(ids(8, 9), ids(1, 2))], 2)
    seen: list[np.ndarray] = []

    def relation(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        seen.append(first)
        return first == second

    permuted_shares(
        lists,
        {"any": relation},
        equal_tokens(np.arange(10)),
        ids(8, 9),
        n_pairs=2,
        n_draws=20,
        generator=np.random.default_rng(0),
    )
    assert {tuple(sorted(rows)) for pairs in seen for rows in pairs[:, 0].tolist()} == {(8, 9)}


def test_rows_may_have_a_token_beyond_all_that_are_permuted():
    lists = PairLists.of([(ids(0, 9), ids(2, 3))], 2)
    drawn = permuted_shares(
        lists,
        {"nine": shared_value([[]] * 3 + [[0]] + [[]] * 5 + [[0]])},
        equal_tokens(np.arange(10)),
        ids(0, 1),
        n_pairs=2,
        n_draws=4,
        generator=np.random.default_rng(0),
    )
    assert drawn["nine"].tolist() == [[0.5]] * 4  # 9 stays beside 3


def test_pairing_anew_keeps_what_a_list_has_in_common():
    everywhere = shared_value([[0]] * 8)
    one_by_one = shared_value([[0], [1], [2], [3], [0], [1], [2], [3]])
    lists = PairLists.of([(ids(0, 1, 2, 3), ids(4, 5, 6, 7))], 5)
    relations = {"place": everywhere, "country": one_by_one}
    equal = equal_tokens(np.arange(8))
    drawn = paired_anew_shares(
        lists, relations, equal, n_draws=300, generator=np.random.default_rng(0)
    )
    assert (drawn["place"] == 1).all()
    assert drawn["country"].mean() == pytest.approx(0.25, abs=0.06)
    shares = category_shares(lists, one_by_one)
    assert p_values(shares, drawn["country"])[0] == pytest.approx(1 / 24, abs=0.03)


def test_pairs_that_chance_makes_equal_are_left_out():
    lists = PairLists.of([(ids(0, 1, 2), ids(1, 0, 3))], 3)
    drawn = paired_anew_shares(
        lists,
        {"any": shared_value([[0], [0], [0], [0]])},
        equal_tokens(np.arange(4)),
        n_draws=50,
        generator=np.random.default_rng(0),
    )
    assert (drawn["any"] == 1).all()


def test_p_values_count_draws_that_are_as_large():
    drawn = np.array([[0.0, 0.5], [0.2, 0.5], [0.4, 0.5]])
    assert p_values(np.array([0.2, 0.6]), drawn).tolist() == [0.75, 0.25]
    assert p_values(np.array([0.2, 0.6, np.nan]), drawn[:, 0])[:2].tolist() == [0.75, 0.25]


def test_p_values_of_chance_are_uniform():
    rng = np.random.default_rng(0)
    values = p_values(rng.random(500), rng.random((199, 500)))
    assert np.mean(values <= 0.05) == pytest.approx(0.05, abs=0.03)


def test_draws_without_a_share_are_left_out_of_p_values():
    drawn = np.array([[0.1, np.nan], [0.5, np.nan], [np.nan, np.nan]])
    values = p_values(np.array([0.4, 0.4]), drawn)
    assert values[0] == 2 / 3  # one of two, and the value itself
    assert np.isnan(values[1])
