import numpy as np
import pytest

from embspace.geometry.parameters.few_bits import rounded_to_bits


@pytest.fixture
def x() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(7, 50)) * np.logspace(-3, 3, 7)[:, np.newaxis]


@pytest.mark.parametrize("bits", [2, 3, 4, 8, 16])
@pytest.mark.parametrize("block", [None, 8, 32])
def test_entries_lie_on_a_grid_of_their_block_within_half_a_step(
    x: np.ndarray, bits: int, block: int | None
):
    y = rounded_to_bits(x, bits, block)
    size = block or 50
    for first in range(0, 50, size):
        part, own = x[:, first : first + size], y[:, first : first + size]
        step = np.abs(part).max(axis=1, keepdims=True) / (2 ** (bits - 1) - 1)
        assert own / step == pytest.approx(np.round(own / step), abs=1e-6)
        assert (np.abs(own - part) <= step / 2 * (1 + 1e-9)).all()


def test_the_largest_entry_of_a_block_and_its_sign_stay(x: np.ndarray):
    y = rounded_to_bits(x, 2)
    rows = np.arange(7), np.abs(x).argmax(axis=1)
    assert y[rows] == pytest.approx(x[rows])
    assert rounded_to_bits(-x, 2) == pytest.approx(-y)


def test_what_lies_on_the_grid_stays_and_scale_does_not_matter(x: np.ndarray):
    y = rounded_to_bits(x, 4, 32)
    assert rounded_to_bits(y, 4, 32) == pytest.approx(y, rel=1e-12)
    assert rounded_to_bits(1e6 * x, 4, 32) == pytest.approx(1e6 * y, rel=1e-12)


def test_more_bits_and_smaller_blocks_err_less(x: np.ndarray):
    errors = [np.linalg.norm(rounded_to_bits(x, bits, 16) - x) for bits in (2, 3, 4, 8, 16)]
    assert errors == sorted(errors, reverse=True)
    assert np.linalg.norm(rounded_to_bits(x, 4) - x) > errors[2]


def test_zeros_and_empty_rows_stay():
    assert not rounded_to_bits(np.zeros((2, 5)), 3, 2).any()
    assert rounded_to_bits(np.zeros((2, 0)), 3).shape == (2, 0)


@pytest.mark.parametrize(("bits", "block", "name"), [(1, None, "bits"), (4, 0, "block")])
def test_too_few_bits_or_entries_are_refused(bits: int, block: int | None, name: str):
    with pytest.raises(ValueError, match=f"{name}: expected at least"):
        rounded_to_bits(np.ones((2, 2)), bits, block)
