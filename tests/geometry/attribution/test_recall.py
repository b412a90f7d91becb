"""Holds precision and recall of places to orders that are counted by hand, and to chance."""

import numpy as np
import pytest

from embspace.geometry.attribution.recall import (
    found_by_chance,
    precision_at_all,
    ranking,
    ranks_of,
    sites_found,
)

TRUE = np.array([[False, True, True, False], [False, False, False, False]])


def test_the_best_order_has_precision_one_and_the_worst_none() -> None:
    best, worst = ranking(TRUE * 1.0), ranking(TRUE * -1.0)
    assert best[0].tolist() == [1, 2, 0, 3]  # of equal scores the first place first
    assert precision_at_all(best, TRUE)[0] == 1
    assert precision_at_all(worst, TRUE)[0] == 0
    assert np.isnan(precision_at_all(best, TRUE)[1])  # no place of this text is true


def test_ranks_undo_an_order() -> None:
    order = ranking(np.random.default_rng(2).random((5, 7)))
    sorted_ranks = np.take_along_axis(ranks_of(order), order, axis=1)
    assert (sorted_ranks == np.arange(7)).all()


def test_a_random_order_has_the_share_of_true_places() -> None:
    rng = np.random.default_rng(0)
    true = np.zeros((4000, 20), dtype=bool)
    true[:, :4] = True
    order = ranking(rng.random(true.shape))
    assert precision_at_all(order, true).mean() == pytest.approx(4 / 20, abs=0.01)


def test_a_site_is_found_by_any_place_that_covers_it() -> None:
    covers = np.array([[True, True, False, False], [False, False, False, True]])
    order = np.array([[1, 2, 3, 0], [2, 3, 0, 1]])
    assert sites_found(order, covers, np.array([1, 1])).tolist() == [[True, False], [False, False]]
    assert sites_found(order, covers, np.array([3, 2])).tolist() == [[True, True], [False, True]]


def test_chance_is_what_random_orders_find() -> None:
    rng = np.random.default_rng(1)
    covers = np.zeros((2, 10), dtype=bool)
    covers[0, :2], covers[1, 5] = True, True
    k = np.full(20_000, 3)
    shares = sites_found(ranking(rng.random((len(k), 10))), covers, k).mean(axis=0)
    chance = found_by_chance(covers.sum(axis=1), k[:1], 10)[0]
    assert chance == pytest.approx([1 - 8 * 7 * 6 / (10 * 9 * 8), 0.3])  # by hand
    assert shares == pytest.approx(chance, abs=0.01)


def test_a_score_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="found NaN"):
        ranking(np.array([[0.0, np.nan]]))
