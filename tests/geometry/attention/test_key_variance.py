"""Holds the shares of scores over keys to scores that are computed one by one."""

import numpy as np
import pytest

from embspace.geometry.attention.key_variance import (
    key_share_bounds,
    key_shares,
    moments_of_image,
    text_moments,
)

N, DIM, RANK = 60, 7, 3
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, DIM)) + RNG.normal(size=DIM)
TEXT = np.arange(N) % 6
QUERY, KEY, BIAS = RNG.normal(size=(RANK, DIM)), RNG.normal(size=(RANK, DIM)), RNG.normal(size=RANK)
ALL = np.arange(6)


def shares(bias: np.ndarray | None, texts: np.ndarray = ALL, x: np.ndarray = X) -> np.ndarray:
    queries = x @ QUERY.T + (0 if bias is None else bias)
    return key_shares(text_moments(queries, TEXT), text_moments(x @ KEY.T, TEXT), bias, texts)


@pytest.mark.parametrize("texts", [ALL, np.array([1, 4])])
def test_shares_are_those_of_all_scores(texts: np.ndarray):
    kept = np.isin(TEXT, texts)
    keys = X[kept] @ KEY.T
    scores = (X[kept] @ QUERY.T + BIAS) @ keys.T
    total = scores.var(axis=1).mean()
    expected = [(keys @ BIAS).var() / total, scores.mean(axis=0).var() / total]
    assert shares(BIAS, texts) == pytest.approx(expected)


def test_without_a_bias_there_is_no_key_only_term():
    bias_share, mean_share = shares(None)
    assert np.isnan(bias_share)
    assert 0 < mean_share < 1
    assert shares(np.zeros(RANK)) == pytest.approx([0, mean_share])


def test_queries_that_are_all_one_differ_in_nothing():
    assert shares(BIAS, x=X - X) == pytest.approx([np.nan, np.nan], nan_ok=True)
    queries = np.tile(BIAS, (N, 1))
    same = key_shares(text_moments(queries, TEXT), text_moments(X @ KEY.T, TEXT), BIAS, ALL)
    assert same == pytest.approx([1, 1])


def test_a_bias_of_keys_changes_nothing():
    moments = text_moments(X @ QUERY.T + BIAS, TEXT)
    shifted = text_moments(X @ KEY.T + 3, TEXT)
    assert key_shares(moments, shifted, BIAS, ALL) == pytest.approx(shares(BIAS))


def test_sums_are_by_text_in_whatever_order_tokens_come():
    order = np.random.default_rng(1).permutation(N)
    one, other = text_moments(X, TEXT), text_moments(X[order], TEXT[order])
    assert one.n_tokens.tolist() == [10] * 6
    assert one.sums == pytest.approx(other.sums)
    assert one.products == pytest.approx(other.products)
    mean, products = one.of(np.array([2]))
    assert mean == pytest.approx(X[TEXT == 2].mean(axis=0))
    assert products == pytest.approx(X[TEXT == 2].T @ X[TEXT == 2] / 10)


def bounds(text: np.ndarray, x: np.ndarray = X) -> tuple[np.ndarray, np.ndarray]:
    moments = text_moments(x @ QUERY.T + BIAS, text), text_moments(x @ KEY.T, text)
    generator = np.random.default_rng(0)
    return key_share_bounds(*moments, BIAS, n_half_samples=50, level=0.9, generator=generator)


def test_bounds_hold_the_value_and_are_of_width_0_for_equal_texts():
    low, high = bounds(TEXT)
    assert (low < high).all()
    assert (low < shares(BIAS)).all() and (shares(BIAS) < high).all()
    low, high = bounds(np.repeat(np.arange(6), 10), np.tile(X[:10], (6, 1)))
    assert low == pytest.approx(high)


def test_with_fewer_than_four_texts_there_are_no_bounds():
    low, high = bounds(np.arange(N) % 3)
    assert np.isnan([low, high]).all()


@pytest.mark.parametrize("bias", [None, BIAS])
def test_moments_of_an_image_are_those_of_its_vectors(bias: np.ndarray | None):
    moments = moments_of_image(text_moments(X, TEXT), QUERY, bias)
    expected = text_moments(X @ QUERY.T + (0 if bias is None else bias), TEXT)
    assert (moments.n_tokens == expected.n_tokens).all()
    assert moments.sums == pytest.approx(expected.sums)
    assert moments.products == pytest.approx(expected.products)
