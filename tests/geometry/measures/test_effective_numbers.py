import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embspace.geometry.measures.effective_numbers import effective_number
from embspace.geometry.measures.spectrum import covariance_eigenvalues


@pytest.mark.parametrize("dim", [1, 7, 300])
def test_equal_eigenvalues_count_once_each(dim: int):
    assert effective_number(np.append(np.full(dim, 0.3), np.zeros(5))) == pytest.approx(dim)


def test_two_to_one():
    assert effective_number(np.array([2.0, 1.0])) == pytest.approx(9 / 5)


@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=20), st.floats(1e-3, 1e3))
def test_between_one_and_the_number_whatever_the_scale(values: list[float], scale: float):
    ratio = effective_number(np.array(values))
    assert 1 - 1e-9 <= ratio <= len(values) + 1e-9
    assert effective_number(scale * np.array(values)) == pytest.approx(ratio)


def test_inverse_of_a_sample_grows_by_one_over_n():
    rng = np.random.default_rng(0)
    inverses = [
        1 / effective_number(covariance_eigenvalues(rng.normal(size=(400, 20)))) for _ in range(100)
    ]
    assert np.mean(inverses) - 1 / 20 == pytest.approx(1 / 400, rel=0.1)


def test_no_variance_has_no_dimension():
    assert np.isnan(effective_number(np.zeros(3)))
