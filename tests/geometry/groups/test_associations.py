from itertools import combinations

import numpy as np
import pytest
from scipy.stats import permutation_test

from embspace.geometry.groups.associations import (
    effect_size,
    exchange_p_value,
    word_associations,
)


def test_an_association_is_a_difference_of_mean_cosines():
    x = np.array([[1.0, 0], [0, 2], [1, 1]])
    first, second = np.array([[3.0, 0], [1, 0]]), np.array([[0, 1.0]])
    assert word_associations(x, first, second) == pytest.approx([1, -1, 0])


def test_an_effect_is_two_means_over_one_deviation():
    x, y = np.array([1.0, 2, 3]), np.array([-1.0, -2, -3])
    both = np.append(x, y)
    assert effect_size(x, y) == pytest.approx(4 / both.std())
    assert effect_size(np.ones(5), -np.ones(5)) == pytest.approx(2)
    assert effect_size(y, x) == -effect_size(x, y)
    assert np.isnan(effect_size(np.ones(3), np.ones(3)))


def test_the_p_value_is_that_of_all_exchanges():
    rng = np.random.default_rng(0)
    x, y = rng.normal(1, 1, size=6), rng.normal(size=5)
    both = np.append(x, y)
    sums = [both[[*chosen]].sum() for chosen in combinations(range(11), 6)]
    assert exchange_p_value(x, y) == np.mean(np.array(sums) >= x.sum() - 1e-9)
    scipys = permutation_test(
        (x, y), lambda a, b: a.mean() - b.mean(), alternative="greater", n_resamples=np.inf
    )
    assert exchange_p_value(x, y) == pytest.approx(scipys.pvalue)


def test_sets_that_are_apart_have_the_smallest_p_value_and_equal_ones_one():
    assert exchange_p_value(np.arange(5) + 10.0, np.arange(5.0)) == pytest.approx(1 / 252)
    assert exchange_p_value(np.ones(4), np.ones(4)) == 1
    with pytest.raises(ValueError, match="exchanges"):
        exchange_p_value(np.ones(20), np.ones(20))


def test_p_values_of_words_drawn_alike_are_below_5_percent_as_often():
    rng = np.random.default_rng(1)
    below = 0
    for _ in range(200):
        x, y, a, b = rng.normal(size=(4, 8, 30))
        below += exchange_p_value(word_associations(x, a, b), word_associations(y, a, b)) < 0.05
    assert below <= 16
