import numpy as np
import pytest

from embspace.geometry.practice.links import shares_given


def test_links_that_hold_give_and_others_take():
    nearest = np.array([[1, 2], [0, 2], [3, 0], [0, 1]])
    holds = np.array([[True, False], [True, False], [True, False], [False, False]])
    given = shares_given(nearest, holds, 5)
    assert given.tolist() == [0, 0.25, -0.5, 0.25, 0]


def test_rows_whose_links_are_alike_give_nothing():
    rng = np.random.default_rng(0)
    nearest = rng.integers(0, 9, (9, 3))
    assert not shares_given(nearest, np.repeat(rng.random(9) < 0.5, 3).reshape(9, 3), 9).any()
    some = shares_given(nearest, rng.random((9, 3)) < 0.5, 9)
    assert some.any() and some.sum() == pytest.approx(0)


def mean_and_errors(seed: int, n: int = 80, k: int = 6) -> tuple[float, float, float]:
    """Share of neighbors of the same sign of a random label, its error by rows, and by texts."""
    rng = np.random.default_rng(seed)
    x, label = rng.normal(size=(n, 8)), rng.random(n) < 0.5
    distance = np.linalg.norm(x[:, None] - x, axis=2) + 99 * np.eye(n)
    nearest = np.argsort(distance, axis=1)[:, :k]
    holds = label[nearest] == label[:, None]
    rows = holds.mean(axis=1)
    texts = rows + shares_given(nearest, holds, n)
    return float(rows.mean()), float(rows.std() / n**0.5), float(texts.std() / n**0.5)


def test_errors_by_texts_are_not_below_the_deviation_over_draws():
    made = np.array([mean_and_errors(seed) for seed in range(100)])
    deviation, by_rows, by_texts = made[:, 0].std(), made[:, 1].mean(), made[:, 2].mean()
    assert by_rows < 0.9 * deviation < by_texts < 2 * deviation
