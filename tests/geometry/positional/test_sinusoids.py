import math

import numpy as np
import pytest

from embspace.geometry.pairs.directions import cosine_matrix, norms
from embspace.geometry.positional.sinusoids import (
    sinusoidal_cosines,
    sinusoidal_positions,
    sinusoidal_positions_as_printed,
)

BASE = 10_000.0


def test_coordinates_are_those_of_the_paper():
    x = sinusoidal_positions(50, 8, base=BASE)
    for position in (0, 1, 49):
        for i in range(4):
            angle = position / BASE ** (2 * i / 8)
            assert x[position, 2 * i] == pytest.approx(math.sin(angle))
            assert x[position, 2 * i + 1] == pytest.approx(math.cos(angle))


def test_as_printed_has_the_coordinate_itself_in_the_exponent():
    x = sinusoidal_positions_as_printed(50, 512, base=BASE)
    for k in (0, 1, 2, 101, 511):
        angle = 37 / BASE ** (2 * k / 512)
        assert x[37, k] == pytest.approx(math.cos(angle) if k % 2 else math.sin(angle))


def test_the_two_agree_in_the_first_coordinate_alone():
    one, other = (make(50, 16, base=BASE) for make in FORMULAS)
    assert one[:, 0] == pytest.approx(other[:, 0])
    # The second is the cosine of another frequency, and so on.
    assert (np.abs(one - other).max(axis=0)[1:] > 1e-6).all()


FORMULAS = (sinusoidal_positions, sinusoidal_positions_as_printed)


@pytest.mark.parametrize("dim", [2, 64, 384])
def test_all_norms_are_the_root_of_half_the_dimension(dim: int):
    x = sinusoidal_positions(100, dim, base=BASE)
    assert norms(x) == pytest.approx(np.full(100, np.sqrt(dim / 2)), rel=1e-14)


@pytest.mark.parametrize("dim", [2, 64, 384])
def test_cosines_depend_on_the_offset_alone_and_are_known(dim: int):
    cosines = cosine_matrix(sinusoidal_positions(100, dim, base=BASE))
    offsets = np.abs(np.subtract.outer(np.arange(100), np.arange(100)))
    known = sinusoidal_cosines(np.arange(100), dim, base=BASE)
    assert cosines == pytest.approx(known[offsets], abs=1e-12)


def test_as_printed_neither_norms_nor_cosines_are_so():
    x = sinusoidal_positions_as_printed(100, 64, base=BASE)
    assert np.ptp(norms(x)) > 0.1
    assert np.ptp(np.diagonal(cosine_matrix(x), 5)) > 0.01


def test_two_dimensions_are_a_circle():
    assert sinusoidal_cosines(np.arange(5), 2, base=BASE) == pytest.approx(np.cos(np.arange(5)))


def test_a_base_near_one_has_one_frequency():
    assert sinusoidal_cosines(np.array([3]), 64, base=1 + 1e-12) == pytest.approx(np.cos(3))


def test_an_odd_dimension_ends_in_a_sine_and_has_no_known_cosine():
    x = sinusoidal_positions(20, 5, base=BASE)
    assert x[:, 4] == pytest.approx(np.sin(np.arange(20) / BASE ** (4 / 5)))
    with pytest.raises(ValueError, match="expected an even number, found 5"):
        sinusoidal_cosines(np.arange(3), 5, base=BASE)
