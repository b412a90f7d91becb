"""Holds the partition function to its definition, and away from what others coded."""

import numpy as np
import pytest

from embspace.geometry.measures.partition_function import (
    partition_isotropy,
    partition_isotropy_at_unit_norm,
)
from tests.geometry.clouds import CLOUD


def by_definition(x: np.ndarray) -> float:
    axes = np.linalg.svd(x)[2]
    z = [np.exp(x @ (sign * axis)).sum() for axis in axes for sign in (1, -1)]
    return min(z) / max(z)


def test_it_is_the_ratio_over_both_signs_of_every_axis() -> None:
    assert partition_isotropy(CLOUD) == pytest.approx(by_definition(CLOUD))


def test_long_vectors_do_not_overflow() -> None:
    assert partition_isotropy(CLOUD * 1000) == 0
    assert 0 < partition_isotropy(CLOUD * 40) < 1e-20
    # Z is e^650 + 1 along the vector, e^-650 + 1 against it, and 2 either way across it.
    one_sided = np.array([[650.0, 0.0], [0.0, 0.0]])
    assert partition_isotropy(one_sided) == pytest.approx(np.exp(-650), rel=1e-9, abs=0)
    # Of each vector at the origin 1 is added to every Z, and the least of them is of these alone.
    with_two = np.array([[650.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    assert partition_isotropy(with_two) == pytest.approx(2 * np.exp(-650), rel=1e-9, abs=0)
    # Two vectors make twice the largest Z, and the least is that of the vector at the origin.
    two_long = np.array([[650.0, 0.0], [650.0, 0.0], [0.0, 0.0]])
    assert partition_isotropy(two_long) == pytest.approx(np.exp(-650) / 2, rel=1e-9, abs=0)


def test_the_unit_of_length_decides_unless_the_cloud_sets_it() -> None:
    short, long = 0.001 * CLOUD, 10 * CLOUD
    assert partition_isotropy(short) > 0.9
    assert partition_isotropy(long) < 1e-6
    assert partition_isotropy_at_unit_norm(short) == pytest.approx(
        partition_isotropy_at_unit_norm(long)
    )


def test_an_even_cloud_is_isotropic_and_a_shifted_one_is_not() -> None:
    axes = np.vstack([np.eye(6), -np.eye(6)]) * np.linspace(1, 1.0001, 12)[:, None]
    assert partition_isotropy(axes) == pytest.approx(1, abs=1e-3)
    assert partition_isotropy_at_unit_norm(axes + 5) < 0.2
    assert partition_isotropy_at_unit_norm(np.zeros((3, 2))) == 1


def test_sums_of_single_products_are_another_quantity() -> None:
    # What IsoScore's repository has for this: exp of each product of coordinates, over rows.
    axes = np.linalg.eig(CLOUD.T @ CLOUD)[1].real
    z = [np.exp(row * CLOUD).sum() for row in axes]
    assert min(z) / max(z) > 5 * partition_isotropy(CLOUD)


def test_along_one_axis_the_sums_of_both_signs_are_known() -> None:
    forward, backward = np.e + np.e**2, np.exp(-1) + np.exp(-2)
    isotropy = partition_isotropy(np.array([[1.0], [2.0]]))
    assert isotropy == pytest.approx(backward / forward)
