"""Tests of the factors of heads, and of the lists that are made of them."""

import numpy as np
import pytest

from embspace.errors import InputError
from embspace.measure.parameters.head_pairs_forms import (
    find_pairs,
    head_factors,
    key_only,
    shuffled,
    token_factors,
)
from tests.measure.parameters.test_head_pairs import parameters

MADE = parameters()


@pytest.mark.parametrize("form", ["value_output", "query_key"])
def test_factors_multiply_to_the_form_of_a_head(form):
    x, y = token_factors(MADE.output_embedding, head_factors(MADE.layers, 2, 1, form))
    layer, embedding = MADE.layers[1], MADE.output_embedding
    names = ("value", "output") if form == "value_output" else ("query", "key")
    first, second = (getattr(layer, name)[:4] for name in names)
    # W_VO of head h is value_h' output_h for row vectors, W_QK is query_h' key_h.
    expected = embedding @ (first.T @ second) @ embedding.T
    assert x @ y.T == pytest.approx(expected, abs=1e-3)


def test_the_key_that_every_query_looks_at_is_the_one_along_the_bias():
    queries = np.array([[1, 0], [-1, 0], [0, 1]], dtype=np.float32)
    keys = np.array([[0, 1], [3, 5], [1, 0]], dtype=np.float32)
    shares, listed = key_only(queries, keys, np.array([2.0, -1.0]), n_listed=2)
    assert listed == [(2, 2.0), (1, 1.0)]
    scores = (queries + [2, -1]) @ keys.T
    varying = scores - scores.mean(axis=1, keepdims=True)
    alone = keys @ [2, -1] - (keys @ [2, -1]).mean()
    assert shares["key_only_share"] == pytest.approx(3 * (alone**2).sum() / (varying**2).sum())
    mean = varying.mean(axis=0)
    assert shares["mean_query_share"] == pytest.approx(3 * (mean**2).sum() / (varying**2).sum())
    named, none = key_only(queries, keys, None, n_listed=2)
    assert np.isnan(named["key_only_share"]) and none == []


def test_unknown_layers_and_heads_are_refused():
    with pytest.raises(InputError, match="layer: found '3', allowed: 1, 2"):
        head_factors(MADE.layers, 3, 1, "query_key")
    for head in (0, 3):
        with pytest.raises(InputError, match=f"head: found {head}, allowed: 1 to 2"):
            head_factors(MADE.layers, 1, head, "query_key")


def test_shuffled_factors_have_the_same_entries_in_another_order():
    factors = head_factors(MADE.layers, 1, 1, "query_key")
    for made, one in zip(shuffled(factors, np.random.default_rng(0)), factors, strict=True):
        assert np.array_equal(np.sort(made.ravel()), np.sort(one.ravel()))
        assert not np.array_equal(made, one)


def test_lists_with_and_without_equal_tokens_are_the_top_of_all():
    x, y = token_factors(MADE.output_embedding, head_factors(MADE.layers, 1, 1, "query_key"))
    classes, tokens = np.arange(150) // 2, np.arange(0, 150, 3)
    pairs = find_pairs(x, y, 30, classes, tokens)
    scores = (x @ y.T)[np.ix_(tokens, tokens)]
    assert pairs.all.scores == pytest.approx(np.sort(scores, axis=None)[::-1][:60], rel=1e-5)
    scores[classes[tokens][:, None] == classes[tokens]] = -np.inf
    assert pairs.unequal.scores == pytest.approx(np.sort(scores, axis=None)[::-1][:30], rel=1e-5)
