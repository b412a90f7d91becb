import numpy as np
import pytest

from embspace.app.explorer.packing import MISSING, STEPS, Pack
from tests.app.explorer.trees import read_arrays


def test_whole_numbers_come_back_as_they_were():
    pack = Pack()
    arrays = [np.array([3, 0, 255]), np.array([65535, 1, 0]), np.array([], dtype=int)]
    numbers = [pack.add(array, n_bytes=size) for array, size in zip(arrays, (1, 2, 2), strict=True)]
    unpacked = read_arrays(pack.text(), pack.shapes)
    assert numbers == [0, 1, 2]
    for array, other in zip(arrays, unpacked, strict=True):
        np.testing.assert_array_equal(array, other)


def test_each_array_begins_where_a_number_of_two_bytes_may():
    pack = Pack()
    for length in (1, 2, 3):
        pack.add(np.zeros(length, dtype=int), n_bytes=1)
    assert [shape["start"] % 2 for shape in pack.shapes] == [0, 0, 0]


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_coordinates_come_back_within_half_a_step(scale: float):
    values = scale * np.random.default_rng(0).normal(size=500)
    pack = Pack()
    packed = pack.add_scaled(values)
    (steps,) = read_arrays(pack.text(), pack.shapes)
    span = packed["high"] - packed["low"]
    back = packed["low"] + steps / STEPS * span
    assert np.abs(back - values).max() <= 0.5001 * span / STEPS
    assert (back.min(), back.max()) == pytest.approx((values.min(), values.max()))


def test_a_point_without_a_number_has_none_after_packing():
    pack = Pack()
    pack.add_scaled(np.array([np.nan, 1.0, 2.0, np.nan]))
    (steps,) = read_arrays(pack.text(), pack.shapes)
    assert steps.tolist() == [MISSING, 0, STEPS, MISSING]


@pytest.mark.parametrize("value", [np.nan, 7.0])
def test_equal_numbers_and_none_at_all_are_packed(value: float):
    pack = Pack()
    packed = pack.add_scaled(np.full(3, value))
    (steps,) = read_arrays(pack.text(), pack.shapes)
    assert set(steps.tolist()) == {MISSING if np.isnan(value) else 0}
    assert packed["low"] == packed["high"] == (0.0 if np.isnan(value) else 7.0)
