import numpy as np
import pytest

from embspace.geometry.inference.benjamini_hochberg import benjamini_hochberg


def test_the_values_of_scipy():
    from scipy.stats import false_discovery_control

    p = np.random.default_rng(0).random(50) ** 3
    assert benjamini_hochberg(p) == pytest.approx(false_discovery_control(p))


def test_a_missing_value_is_no_test():
    made = benjamini_hochberg(np.array([0.01, np.nan, 0.03]))
    assert made == pytest.approx([0.02, np.nan, 0.03], nan_ok=True)
    assert len(benjamini_hochberg(np.array([]))) == 0
