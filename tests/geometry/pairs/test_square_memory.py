from collections.abc import Callable

import numpy as np
import pytest

from embspace.geometry.maps.pca import principal_components
from embspace.geometry.measures.spectrum import covariance_eigenvalues
from embspace.geometry.pairs import square_memory
from embspace.geometry.pairs.moments import moments_of
from embspace.geometry.pairs.square_memory import available_memory, check_square


@pytest.fixture(autouse=True)
def memory_of_one_gib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(square_memory, "available_memory", lambda: 2**30)


def test_some_memory_is_there():
    assert 2**20 < available_memory() < 2**60


def test_what_fits_passes(monkeypatch: pytest.MonkeyPatch):
    check_square(9_999)
    monkeypatch.setattr(square_memory, "available_memory", lambda: 24 * 10_000**2)
    check_square(10_000)


@pytest.mark.parametrize(
    "function",
    [covariance_eigenvalues, moments_of, lambda x: principal_components(x, n_components=1)],
)
def test_a_wide_matrix_is_refused_with_both_numbers(function: Callable[[np.ndarray], object]):
    message = "covariance of 100,000 coordinates needs 223.5 GiB of memory, 1.0 GiB are available"
    with pytest.raises(ValueError, match=message):
        function(np.zeros((6, 100_000), dtype=np.float32))


def test_the_narrowest_matrix_that_may_not_fit_is_held_against_the_memory(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(square_memory, "available_memory", lambda: 24 * 10_000**2 - 1)
    with pytest.raises(ValueError, match="10,000 coordinates needs 2.2 GiB"):
        check_square(10_000)
