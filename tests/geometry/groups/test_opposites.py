import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from embspace.geometry.groups.opposites import (
    mean_of_other_pairs,
    pair_products,
    shared_line,
    wins_of_draws,
)


@pytest.fixture
def x() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(12, 5))


def test_other_pairs_are_all_pairs_of_rows_but_partners(x: np.ndarray):
    pairs = np.arange(12).reshape(6, 2)
    chosen = np.array([[1.0] * 6, [1, 0, 1, 1, 0, 0], [1, 0, 0, 0, 0, 0]])
    for draw, mean in zip(chosen, mean_of_other_pairs(x @ x.T, pairs, chosen), strict=True):
        rows = pairs[draw > 0].ravel()
        products = [x[a] @ x[b] for a in rows for b in rows if a != b and a // 2 != b // 2]
        assert mean == pytest.approx(np.mean(products) if products else np.nan, nan_ok=True)
    assert pair_products(x @ x.T, pairs)[2] == pytest.approx(x[4] @ x[5])


def test_wins_are_the_area_under_the_curve():
    generator = np.random.default_rng(0)
    larger, smaller = generator.integers(0, 9, 20) / 4, generator.integers(0, 7, 15) / 4
    chosen = [np.stack([np.ones(n), np.arange(n) % 2]) for n in (20, 15)]
    whole, half = wins_of_draws(larger, smaller, *chosen)
    labels = np.arange(35) < 20
    assert whole == pytest.approx(roc_auc_score(labels, np.concatenate([larger, smaller])))
    odd = np.concatenate([larger[1::2], smaller[1::2]])
    assert half == pytest.approx(roc_auc_score(np.arange(len(odd)) < 10, odd))
    # Only the first of either are held against each other.
    compared = np.zeros((20, 15))
    compared[0, 0] = 1
    (first,) = wins_of_draws(larger, smaller, np.ones((1, 20)), np.ones((1, 15)), compared)
    assert first == (larger[0] > smaller[0]) + 0.5 * (larger[0] == smaller[0])


def test_differences_along_one_line_have_the_value_1_whatever_their_signs(x: np.ndarray):
    line = np.array([3.0, -1, 0, 0, 2])
    signs = np.array([1, -1, 2, -3, 1, 1])
    y = np.concatenate([x[:6], x[:6] + signs[:, np.newaxis] * line])
    pairs = np.stack([np.arange(6), np.arange(6, 12)], axis=1)
    assert shared_line(y @ y.T, pairs) == pytest.approx(1)


def test_independent_differences_have_the_mean_of_a_random_cosine():
    y = np.random.default_rng(1).normal(size=(400, 100))
    value = shared_line(y @ y.T, np.arange(400).reshape(200, 2))
    assert value == pytest.approx(np.sqrt(2 / (np.pi * 100)), rel=0.05)


def test_equal_words_have_no_difference(x: np.ndarray):
    y = np.concatenate([x, x[:1]])
    pairs = np.array([[0, 12], [1, 2], [3, 4]])
    assert shared_line(y @ y.T, pairs) == pytest.approx(shared_line(x @ x.T, pairs[1:]))
    assert np.isnan(shared_line(y @ y.T, pairs[:2]))
