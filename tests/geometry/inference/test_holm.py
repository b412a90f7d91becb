"""Holds the correction of p-values to values that were worked out by hand."""

import numpy as np
import pytest

from embspace.geometry.inference.holm import holm_p_values


def test_values_are_those_of_the_method() -> None:
    p_values = holm_p_values(np.array([0.01, 0.04, 0.03, 0.005]))
    assert p_values == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_one_test_needs_no_correction_and_none_is_above_one() -> None:
    assert holm_p_values(np.array([0.2])) == pytest.approx([0.2])
    assert holm_p_values(np.array([0.6, 0.9])).tolist() == [1, 1]
    assert holm_p_values(np.array([])).shape == (0,)


def test_what_is_no_test_is_not_counted() -> None:
    p_values = holm_p_values(np.array([np.nan, 0.02, 0.03]))
    assert np.isnan(p_values[0]) and p_values[1:] == pytest.approx([0.04, 0.04])


def test_of_random_p_values_few_families_have_one_that_is_small() -> None:
    rng = np.random.default_rng(0)
    smallest = [holm_p_values(rng.uniform(size=12)).min() for _ in range(2000)]
    assert np.mean(np.array(smallest) <= 0.05) == pytest.approx(0.05, abs=0.015)
