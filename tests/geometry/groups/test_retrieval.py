from itertools import combinations

import numpy as np
import pytest

from embspace.geometry.groups.retrieval import (
    bm25,
    ranks_of_relevant,
    recall_at,
    recall_by_chance,
    reciprocal_rank,
    reciprocal_rank_by_chance,
)


def test_ranks_by_hand():
    scores = np.array([[0.9, 0.5, 0.7], [0.1, 0.2, 0.3], [1.0, 1.0, 1.0], [1.0, 2.0, 3.0]])
    relevant = np.array([[0, 0, 1], [1, 1, 0], [0, 1, 0], [0, 1, 0]], dtype=bool)
    first, last = ranks_of_relevant(scores, relevant)
    assert list(first) == [2, 2, 1, 2]
    assert list(last) == [2, 2, 3, 2]
    assert list(recall_at(first, last, 2)) == [1, 1, 2 / 3, 1]
    assert list(recall_at(first, last, 1)) == [0, 0, 1 / 3, 0]


def test_a_constant_score_ranks_as_chance_does():
    first, last = ranks_of_relevant(np.ones((7, 7)), np.eye(7, dtype=bool))
    assert np.allclose(reciprocal_rank(first, last), reciprocal_rank_by_chance(7))
    assert np.allclose(recall_at(first, last, 3), 3 / 7)


def test_a_query_without_a_relevant_candidate_is_refused():
    with pytest.raises(ValueError, match="for every query"):
        ranks_of_relevant(np.ones((1, 2)), np.zeros((1, 2), dtype=bool))
    with pytest.raises(ValueError, match="for every query"):  # the other query has one
        ranks_of_relevant(np.ones((2, 2)), np.array([[True, False], [False, False]]))


def test_a_random_score_has_the_reciprocal_rank_of_chance():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(4000, 10))
    relevant = np.zeros((4000, 10), dtype=bool)
    relevant[:, 3] = True
    mean = np.mean(reciprocal_rank(*ranks_of_relevant(scores, relevant)))
    assert mean == pytest.approx(reciprocal_rank_by_chance(10), abs=0.02)
    assert reciprocal_rank_by_chance(3) == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)
    assert np.isnan(reciprocal_rank_by_chance(0))


def test_bm25_of_one_term_by_hand():
    candidate = np.array([[2, 1], [0, 3], [0, 0]])
    score = bm25(np.array([[1, 0]]), candidate)
    # One of three documents has the term: idf log(1 + 2.5 / 1.5); its length 3, the mean 2.
    expected = np.log(1 + 2.5 / 1.5) * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 2))
    assert score[0, 0] == pytest.approx(expected)
    assert score[0, 1] == score[0, 2] == 0


def test_bm25_counts_a_repeated_term_of_the_query_twice_and_prefers_short_documents():
    candidate = np.array([[1, 0, 0], [1, 0, 5], [0, 1, 0]])
    once, twice = bm25(np.array([[1, 0, 0], [2, 0, 0]]), candidate)
    assert np.allclose(twice, 2 * once)
    assert once[0] > once[1] > once[2] == 0


def test_no_words_at_all_score_nothing():
    assert np.array_equal(bm25(np.zeros((1, 2), int), np.zeros((2, 2), int)), np.zeros((1, 2)))


@pytest.mark.parametrize(("n", "n_relevant"), [(5, 1), (6, 3), (4, 4)])
def test_chance_with_several_relevant_is_the_mean_over_all_orders(n: int, n_relevant: int):
    ranks = [1 + min(chosen) for chosen in combinations(range(n), n_relevant)]
    assert reciprocal_rank_by_chance(n, n_relevant) == pytest.approx(np.mean(1 / np.array(ranks)))
    for k in (1, 2, 10):
        share = np.mean(np.array(ranks) <= k)
        assert recall_by_chance(n, k, n_relevant) == pytest.approx(share)
    assert np.isnan(recall_by_chance(0, 1))


def test_all_candidates_may_be_relevant():
    assert reciprocal_rank_by_chance(3, 3) == recall_by_chance(3, 1, 3) == 1
    assert reciprocal_rank_by_chance(2, 1) == pytest.approx(3 / 4)
    assert np.isnan([reciprocal_rank_by_chance(3, 4), recall_by_chance(3, 1, 0)]).all()
