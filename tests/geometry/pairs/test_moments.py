"""Holds sums to the vectors that they are of, and their addition to the union."""

import numpy as np
import pytest

from embspace.geometry.measures.spectrum import covariance_eigenvalues
from embspace.geometry.pairs.moments import Moments, moments_of
from tests.geometry.clouds import CLOUD


def test_mean_variances_and_energies_are_those_of_the_vectors() -> None:
    moments = moments_of(CLOUD, origin=np.full(CLOUD.shape[1], 0.3))
    assert moments.mean == pytest.approx(CLOUD.mean(axis=0))
    assert moments.variances == pytest.approx(covariance_eigenvalues(CLOUD))
    singular = np.linalg.svd(CLOUD, compute_uv=False)
    assert moments.energies == pytest.approx(singular**2 / len(CLOUD))
    distance = np.square(CLOUD - CLOUD.mean(axis=0)).sum(axis=1)
    assert moments.mean_quartic == pytest.approx((distance**2).mean())


def test_moments_of_parts_add_up_to_those_of_the_whole() -> None:
    origin = np.linspace(-1, 1, CLOUD.shape[1])
    parts = [moments_of(part, origin) for part in np.split(CLOUD, [30, 31, 150])]
    both = parts[0] + parts[1] + parts[2] + parts[3]
    whole = moments_of(CLOUD, origin)
    assert both.n == whole.n == len(CLOUD)
    assert both.variances == pytest.approx(whole.variances)
    assert both.mean_quartic == pytest.approx(whole.mean_quartic)
    with pytest.raises(ValueError, match="one origin, found two"):
        parts[0] + moments_of(CLOUD)


def test_many_rows_are_taken_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = moments_of(CLOUD)
    monkeypatch.setattr("embspace.geometry.pairs.moments.BLOCK_ROWS", 7)
    in_blocks = moments_of(CLOUD)
    assert in_blocks.products == pytest.approx(whole.products)
    assert in_blocks.quartic == pytest.approx(whole.quartic)


def test_a_far_mean_costs_no_digits() -> None:
    far = moments_of(CLOUD + 1e6)
    assert far.variances == pytest.approx(moments_of(CLOUD).variances, rel=1e-8)


def test_few_vectors_have_exact_zeros() -> None:
    for first in range(0, 40, 4):  # rounding leaves less than 0 of some
        few = moments_of(CLOUD[first : first + 4])
        assert (few.variances[3:] == 0).all()
        assert (few.variances[:3] > 0).all()
        assert (few.energies[4:] == 0).all()
        assert (few.energies[:4] > 0).all()


def test_spectra_of_few_rows_are_those_of_the_products_of_coordinates() -> None:
    few = moments_of(CLOUD[:4])
    by_coordinates = moments_of(CLOUD[:4], CLOUD[0])
    assert few.rows is not None and by_coordinates.rows is None
    assert few.variances == pytest.approx(by_coordinates.variances, abs=1e-12)
    assert few.energies == pytest.approx(by_coordinates.energies, abs=1e-12)
    assert moments_of(CLOUD).rows is None  # more rows than coordinates


def test_few_equal_rows_vary_by_nothing() -> None:
    few = moments_of(np.repeat(CLOUD[:1], 4, axis=0))
    assert not few.variances.any()
    assert few.energies[0] == pytest.approx(CLOUD[0] @ CLOUD[0])


def test_moments_go_through_as_they_are() -> None:
    moments = moments_of(CLOUD)
    assert isinstance(moments, Moments)
    assert moments_of(moments) is moments
