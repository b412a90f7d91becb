import numpy as np
import pandas as pd

from embspace.measure.sentences.difference_pairs import (
    Draws,
    SentencePairs,
    draw_pairs,
    sentence_pairs,
)
from tests.measure.planted_sentences import Planted, planted

CATEGORIES = {name: np.ones(3) for name in ("a-b", "c-d", "e-f", "g-h")}


def pairs_of(given: Planted) -> SentencePairs:
    return sentence_pairs(given.stimuli, given.tokens)


def lengths_of(given: Planted) -> np.ndarray:
    return given.tokens.groupby("window").size().to_numpy()


def draws_of(given: Planted) -> Draws:
    return draw_pairs(
        pairs_of(given),
        lengths_of(given),
        length_tolerance=1,
        n_sign_flips=50,
        n_pairing_draws=40,
        n_direction_draws=30,
        generator=np.random.default_rng(0),
    )


def test_pairs_by_hand():
    rows = [("x-y", "1", "second"), ("p-q", "1", "first"), ("x-y", "1", "first")]
    rows += [("p-q", "2", "first"), ("p-q", "2", "second"), ("p-q", "1", "second")]
    table = pd.DataFrame(rows, columns=["category", "pair", "side"])
    ids = [(0, 7), (0, 8), (1, 7), (1, 1), (2, 7), (2, 9), (3, 2), (4, 9), (5, 7), (5, 2)]
    tokens = pd.DataFrame(ids, columns=["window", "id"])
    pairs = sentence_pairs(table, tokens)
    assert pairs.categories == ["p-q", "x-y"]
    assert pairs.names == ["1", "1", "2"]
    assert pairs.category.tolist() == [0, 1, 0]
    assert pairs.first.tolist() == [1, 2, 3]
    assert pairs.second.tolist() == [5, 0, 4]
    # Changed are 1 and 2, 8 and 9, 2 and 9.
    shared = [[True, False, True], [False, True, True], [True, True, True]]
    assert pairs.different_tokens.tolist() == (~np.array(shared)).tolist()


def test_no_sentences_are_no_pairs():
    given = planted(CATEGORIES)
    pairs = sentence_pairs(given.stimuli[:0], given.tokens[:0])
    assert pairs.names == []
    assert pairs.different_tokens.shape == (0, 0)


def test_dealing_out_anew_keeps_the_category_and_the_sum_of_the_differences():
    given = planted(CATEGORIES, {"a-b": 5, "c-d": 1, "e-f": 7, "g-h": 2})
    pairs, draws = pairs_of(given), draws_of(given)
    # Whole numbers: sums are exact.
    x = np.random.default_rng(0).integers(-99, 99, (len(given.stimuli), 4))
    for number, (first, second) in enumerate(draws.re_paired):
        rows = pairs.of(number)
        assert (first == pairs.first[rows]).all()
        assert (np.sort(second, axis=1) == np.sort(pairs.second[rows])).all()
        means = (x[second] - x[first]).sum(axis=1)
        assert (means == (x[pairs.second[rows]] - x[pairs.first[rows]]).sum(axis=0)).all()
    assert (np.ptp(draws.re_paired[0][1], axis=0) > 0).all()


def test_unrelated_pairs_are_of_other_categories_and_as_long():
    given = planted(CATEGORIES, 6)
    pairs, draws, length = pairs_of(given), draws_of(given), lengths_of(given)
    category = given.stimuli["category"].to_numpy()
    for number, (first, second) in enumerate(draws.unrelated):
        there = first >= 0
        assert there.mean() > 0.9
        assert ((second >= 0) == there).all()
        for drawn, own in ((first, pairs.first), (second, pairs.second)):
            wanted = np.tile(length[own[pairs.of(number)]], (len(drawn), 1))
            assert (np.abs(length[drawn] - wanted)[there] <= 1).all()
            assert (category[drawn][there] != pairs.categories[number]).all()
        assert (category[first][there] != category[second][there]).all()


def test_two_unrelated_pairs_are_four_categories():
    given = planted(CATEGORIES, 6)
    category = given.stimuli["category"].to_numpy()
    rows = np.concatenate(draws_of(given).two_unrelated, axis=1)
    assert rows.shape == (30, 4)
    assert all(len(set(categories)) == 4 for categories in category[rows])


def test_signs_are_as_often_plus_as_minus():
    signs = draws_of(planted(CATEGORIES, 20)).signs
    assert set(np.unique(signs)) == {-1.0, 1.0}
    assert abs(signs.mean()) < 5 / np.sqrt(signs.size)


def test_one_seed_gives_the_same_draws():
    given = planted(CATEGORIES, 6)
    one, two = draws_of(given), draws_of(given)
    assert (one.signs == two.signs).all()
    assert all((a[1] == b[1]).all() for a, b in zip(one.re_paired, two.re_paired, strict=True))
