import numpy as np
import pytest

from embspace.geometry.groups.held_out_line import held_out_line


def test_a_line_predicts_itself():
    x = np.arange(8.0)
    assert held_out_line(x, 3 * x - 1) == pytest.approx(1)
    assert held_out_line(x, -x) == pytest.approx(1)


def test_the_closed_form_is_what_fits_without_each_point_give():
    x, y = np.random.default_rng(0).normal(size=(2, 12))
    errors, mean_errors = np.empty((2, 12))
    for i in range(12):
        rest = np.arange(12) != i
        slope, height = np.polyfit(x[rest], y[rest], 1)
        errors[i], mean_errors[i] = y[i] - slope * x[i] - height, y[i] - y[rest].mean()
    expected = 1 - np.square(errors).sum() / np.square(mean_errors).sum()
    assert held_out_line(x, y) == pytest.approx(expected)
    assert held_out_line(5 * x + 2, np.stack([y, 3 * y + 1])) == pytest.approx([expected] * 2)


def test_unrelated_values_are_predicted_no_better_than_by_their_mean():
    drawn = np.random.default_rng(1).normal(size=(2000, 30))
    x = np.random.default_rng(2).normal(size=30)
    saved = held_out_line(x, drawn)
    assert -0.1 < saved.mean() < 0
    assert (saved > 0).mean() < 0.35


@pytest.mark.parametrize(
    ("x", "y"), [([1, 1, 1], [1, 2, 3]), ([1, 2, 3], [2, 2, 2]), ([0, 0, 1], [1, 2, 3])]
)
def test_what_cannot_be_fitted_is_undefined(x: list[float], y: list[float]):
    assert np.isnan(held_out_line(np.array(x), np.array(y)))
