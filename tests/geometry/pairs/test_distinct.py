"""Holds which vectors are one to vectors that are, but for rounding."""

import numpy as np
import pytest

from embspace.geometry.pairs.distinct import ROUNDING, distinct_rows, is_one_vector


@pytest.mark.parametrize("dim", [5, 384])
def test_rows_that_only_rounding_tells_apart_count_once(dim: int) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(500, dim)) + 3
    assert distinct_rows(x).tolist() == list(range(500))
    rounded = x * (1 + 6e-8 * rng.normal(size=x.shape))
    again = np.concatenate([x, x[:100], rounded, rounded[::-1]])
    assert distinct_rows(again).tolist() == list(range(500))
    # Ten times as far apart, they are two.
    moved = x + 1e-4 * np.linalg.norm(x[0]) * np.eye(dim)[0]
    assert len(distinct_rows(np.concatenate([x, moved]))) == 1000


def test_hundreds_of_copies_count_once() -> None:
    x = np.random.default_rng(0).normal(size=(3, 8)).astype(np.float32)
    assert distinct_rows(np.repeat(x, 400, axis=0)).tolist() == [0, 400, 800]
    assert distinct_rows(np.zeros((9, 4), dtype=np.float32)).tolist() == [0]


@pytest.mark.parametrize("dim", [5, 384])
def test_copies_that_rounding_moves_are_one_vector(dim: int) -> None:
    rng = np.random.default_rng(0)
    x = np.repeat(rng.normal(size=(1, dim)), 5000, axis=0)
    rounded = (x * (1 + 6e-8 * rng.normal(size=x.shape))).astype(np.float32)
    assert is_one_vector(x) and is_one_vector(rounded) and is_one_vector(rounded[:1])
    assert is_one_vector(np.zeros((3, dim)))
    # One that differs, by a little more than is allowed, wherever it stands.
    for row in (1, 4500):
        moved = x.copy()
        moved[row, 0] += 1.01 * ROUNDING * np.linalg.norm(x[0])
        assert not is_one_vector(moved)
        assert len(distinct_rows(moved)) == 2


def test_rows_whose_bits_differ_by_small_multiples_of_one_number_are_all_kept() -> None:
    """With any two factors a and b under 127, b steps of the first number are a of the second."""
    numbers = (np.float64(1).view(np.int64) + np.arange(127) * (2**44 + 1)).view(np.float64)
    one = np.ones(127)
    x = np.concatenate([np.column_stack([numbers, one]), np.column_stack([one, numbers])[1:]])
    assert distinct_rows(x).tolist() == list(range(253))


@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_coarse_numbers_are_kept_apart(kind: type) -> None:
    """Of 16 bits, three of these 3,000 rows had the key of another."""
    x = np.random.default_rng(0).normal(size=(3000, 384)).astype(kind)
    assert len(distinct_rows(x)) == 3000


def test_a_grid_of_whole_numbers_keeps_every_place() -> None:
    grid = np.stack(np.meshgrid(np.arange(16.0), np.arange(16.0)), axis=-1).reshape(-1, 2)
    assert distinct_rows(grid).tolist() == list(range(256))
    assert distinct_rows(np.concatenate([grid, grid, -grid])).tolist()[:256] == list(range(256))
    assert len(distinct_rows(np.concatenate([grid, grid]))) == 256
