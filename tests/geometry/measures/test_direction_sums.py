"""Holds sums of directions to the vectors that they are of, and their addition to the union."""

import numpy as np
import pytest

from embspace.geometry.measures.direction_sums import direction_sums_of
from tests.geometry.clouds import CLOUD

WITH_ZEROS = np.vstack([CLOUD, np.zeros((3, CLOUD.shape[1]))])


def test_sums_are_those_over_the_vectors() -> None:
    sums = direction_sums_of(WITH_ZEROS)
    length = np.linalg.norm(CLOUD, axis=1)
    unit = CLOUD / length[:, None]
    assert (sums.n, sums.n_directed) == (len(CLOUD) + 3, len(CLOUD))
    assert sums.unit_total == pytest.approx(unit.sum(axis=0))
    assert sums.unit_squares == pytest.approx((unit**2).sum(axis=0))
    assert sums.total == pytest.approx(CLOUD.sum(axis=0))
    assert sums.total_norm == pytest.approx(length.sum())


def test_sums_of_parts_add_up_to_those_of_the_whole() -> None:
    parts = [direction_sums_of(part) for part in np.split(WITH_ZEROS, [1, 40, 202])]
    both = parts[0] + parts[1] + parts[2] + parts[3]
    whole = direction_sums_of(WITH_ZEROS)
    for name, value in vars(whole).items():
        assert getattr(both, name) == pytest.approx(value), name


def test_sums_of_nothing_but_zeros_are_zero() -> None:
    sums = direction_sums_of(np.zeros((2, 3)))
    assert (sums.n, sums.n_directed, sums.total_norm) == (2, 0, 0)
    assert not sums.unit_total.any()


def test_sums_go_through_as_they_are() -> None:
    sums = direction_sums_of(CLOUD)
    assert direction_sums_of(sums) is sums
