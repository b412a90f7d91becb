"""Holds both spectra to those that are computed each by itself."""

import numpy as np
import pytest

from embspace.geometry.pairs.two_spectra import spectra_with_and_without


def _spectrum(matrix: np.ndarray) -> np.ndarray:
    return np.linalg.eigvalsh(matrix)[::-1]


@pytest.mark.parametrize("dim", [1, 2, 3, 40])
@pytest.mark.parametrize("length", [0.0, 1e-3, 1.0, 1e3])
@pytest.mark.parametrize("sign", [1, -1])
def test_both_are_those_computed_alone(dim: int, length: float, sign: int) -> None:
    rng = np.random.default_rng(dim)
    x = rng.normal(size=(100, dim)) / np.arange(1, dim + 1)
    covariance = x.T @ x / len(x)
    mean = rng.normal(size=dim)
    mean *= sign * length / np.linalg.norm(mean)
    without, with_mean = spectra_with_and_without(covariance, mean)
    assert without == pytest.approx(_spectrum(covariance), abs=1e-14)
    together = _spectrum(covariance + np.outer(mean, mean))
    assert with_mean == pytest.approx(together, abs=1e-14 * max(1, length**2))


def test_a_mean_along_one_axis_costs_nothing() -> None:
    for mean in np.vstack([np.eye(3), -np.eye(3)]) * 2:
        without, with_mean = spectra_with_and_without(np.diag([3.0, 2.0, 1.0]), mean)
        assert without == pytest.approx([3, 2, 1])
        assert with_mean == pytest.approx(_spectrum(np.diag([3.0, 2.0, 1.0] + mean**2)))


def test_where_nothing_varies_the_mean_alone_is_left() -> None:
    without, with_mean = spectra_with_and_without(np.zeros((3, 3)), np.ones(3))
    assert not without.any()
    assert with_mean == pytest.approx([3, 0, 0], abs=1e-15)


def test_the_arguments_stay_as_they_are() -> None:
    covariance, mean = np.diag([3.0, 2.0]), np.ones(2)
    spectra_with_and_without(covariance, mean)
    assert covariance.tolist() == [[3, 0], [0, 2]] and mean.tolist() == [1, 1]
