"""Tests of `embspace.geometry.parameters.rough_products`."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embspace.geometry.parameters import rough_products
from embspace.geometry.parameters.rough_products import RoughProducts, product, rough_is_faster


def norms(x: np.ndarray) -> np.ndarray:
    return np.linalg.norm(x.astype(np.float64), axis=1)


def candidates(x: np.ndarray, y: np.ndarray, score: float) -> list[int]:
    """The rows that may reach a score with any of the columns."""
    longest = max(norms(x).max(), norms(y).max())
    rough = RoughProducts(x, y, float(longest))
    largest = float(norms(x).max() * norms(y).max())
    return rough.rows_that_may_reach(slice(0, len(x)), slice(0, len(y)), score, largest).tolist()


def largest_scores(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return (x.astype(np.float64) @ y.astype(np.float64).T).max(axis=1)


@settings(deadline=None)  # the first example imports torch
@given(
    seed=st.integers(0, 1000),
    rank=st.integers(1, 70),
    power=st.sampled_from([-140, -60, -20, 0, 15, 39, 60]),
    spread=st.sampled_from([0.0, 1.0, 30.0]),
    place=st.floats(0, 1),
)
def test_no_row_is_missing_that_reaches_the_score(seed, rank, power, spread, place):
    rng = np.random.default_rng(seed)
    lengths = np.exp2(power + spread * rng.normal(size=(2, 23, 1)))
    with np.errstate(over="ignore"):
        x, y = (lengths * rng.normal(size=(2, 23, rank))).astype(np.float32)
    x, y = (np.nan_to_num(side, posinf=3e38, neginf=-3e38) for side in (x, y))
    largest = largest_scores(x, y)
    score = float(np.quantile(largest, place))
    assert set(np.flatnonzero(largest >= score)) <= set(candidates(x, y, score))


def test_a_score_that_is_met_to_the_last_digit_is_reached():
    x = np.array([[1 + 2**-8], [1 - 2**-9], [0]], dtype=np.float32)
    for score in largest_scores(x, x[:1]).tolist():
        assert set(np.flatnonzero(largest_scores(x, x[:1]) >= score)) <= set(
            candidates(x, x[:1], score)
        )


def test_rows_that_are_far_below_are_left_out():
    x = np.eye(40, dtype=np.float32)
    x[7] *= 2
    assert candidates(x, x, 3.9) == [7]
    assert candidates(x, x, 4.1) == []


@pytest.mark.parametrize("score", [0.0, -1.0, -np.inf, 2.0**-70, np.nan])
def test_all_rows_may_reach_what_is_next_to_0_or_below(score):
    assert candidates(np.eye(5, dtype=np.float32), np.eye(5, dtype=np.float32), score) == [
        0,
        1,
        2,
        3,
        4,
    ]


def test_all_rows_may_reach_a_score_of_vectors_that_are_too_long_or_of_too_high_a_rank(monkeypatch):
    x = np.eye(5, dtype=np.float32)
    assert candidates(2.0**41 * x, x, 2.0**42) == [0, 1, 2, 3, 4]
    monkeypatch.setattr(rough_products, "MOST_RANK", 4)
    assert candidates(x, x, 2.0) == [0, 1, 2, 3, 4]


def test_places_count_from_the_first_row_of_the_block_and_other_columns_may_be_read():
    x = np.eye(9, dtype=np.float32)
    rough = RoughProducts(x, x, 1.0)
    assert rough.rows_that_may_reach(slice(4, 9), slice(4, 6), 0.9, 1.0).tolist() == [0, 1, 2, 3, 4]
    assert rough.rows_that_may_reach(slice(0, 4), slice(4, 9), 0.9, 1.0).tolist() == []


@pytest.mark.parametrize("n_rows", [0, 3, 200])
def test_products_are_those_of_float32(n_rows):
    x, y = np.random.default_rng(0).normal(size=(2, 200, 16)).astype(np.float32)
    made = product(x[:n_rows], y)
    assert made.dtype == np.float32
    np.testing.assert_allclose(made, x[:n_rows] @ y.T, atol=1e-5)


def test_whether_it_is_faster_is_found_out_once():
    assert rough_is_faster() is rough_is_faster()


@pytest.mark.parametrize(("rank", "expected"), [(2**13, [1]), (2**13 + 1, [0, 1])])
def test_the_error_is_known_of_sums_of_8192_terms_at_most(rank: int, expected: list[int]):
    x = np.zeros((2, rank), dtype=np.float32)
    x[1, 0] = 1
    assert candidates(x, x, 0.9) == expected
