import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from embspace.geometry.groups.comparison import probability_of_larger


def test_extremes_and_ties():
    low, high = np.array([0.0, 1.0]), np.array([2.0, 3.0, 4.0])
    assert probability_of_larger(high, low) == 1
    assert probability_of_larger(low, high) == 0
    assert probability_of_larger(np.ones(3), np.ones(5)) == 0.5
    assert probability_of_larger(np.array([1.0, 2.0]), np.array([1.0])) == 0.75


def test_it_is_the_area_under_the_roc_curve_of_each_row():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 9, (4, 20)) + 1.0, rng.integers(0, 9, (4, 33)) + 0.0
    found = probability_of_larger(x, y)
    for row in range(4):
        label = np.repeat([1, 0], [20, 33])
        assert found[row] == pytest.approx(roc_auc_score(label, [*x[row], *y[row]]))


def test_shifted_gaussians_have_the_known_probability():
    # P(x > y) = Phi(d / sqrt 2) for a shift of d standard deviations.
    rng = np.random.default_rng(1)
    found = probability_of_larger(rng.normal(1, 1, 20_000), rng.normal(0, 1, 20_000))
    assert found == pytest.approx(0.7602, abs=0.01)


def test_no_scale_matters():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=9), rng.normal(size=7)
    assert probability_of_larger(np.exp(x), np.exp(y)) == probability_of_larger(x, y)


def test_undefined_without_values():
    assert np.isnan(probability_of_larger(np.zeros((2, 0)), np.zeros((2, 3)))).all()
    assert np.isnan(probability_of_larger(np.array([np.nan, 1.0]), np.zeros(3)))
