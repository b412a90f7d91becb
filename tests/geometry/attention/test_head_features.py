from collections.abc import Mapping

import numpy as np
import pytest
from scipy.stats import entropy

from embspace.geometry.attention.head_features import (
    FEATURES,
    TokenSets,
    head_features,
    k_of_mass,
    mass_to,
    row_entropy,
    value_entropy,
)
from tests.geometry.attention.heads import (
    N,
    blocks,
    previous,
    random_heads,
    sink,
    token_sets,
    uniform,
)


def features(head: np.ndarray) -> Mapping[str, float]:
    values = head_features(head[None], token_sets(len(head)), mass_share=0.9, n_columns=2)
    assert tuple(sorted(values)) == tuple(sorted(FEATURES))
    return {name: float(value[0]) for name, value in values.items()}


def test_a_head_of_the_previous_token():
    values = features(previous())
    assert values["previous_mass"] == values["diagonal_mass"] == 1
    assert values["self_mass"] == pytest.approx(1 / N)
    assert values["backward_mass"] == pytest.approx(1 - 1 / N)
    assert values["forward_mass"] == values["next_mass"] == values["row_entropy"] == 0
    assert values["k_share"] == pytest.approx(1 / N)
    assert values["rank_share"] == pytest.approx(1 - 1 / N)


def test_a_sink():
    values = features(sink())
    assert values["first_token_mass"] == values["sink_strength"] == values["column_mass"] == 1
    assert values["separator_mass"] == values["punctuation_mass"] == 0
    assert values["rank_share"] == values["effective_rank_share"] == pytest.approx(1 / N)


def test_uniform_attention():
    values = features(uniform())
    assert values["row_entropy"] == pytest.approx(1)
    assert values["value_entropy"] == 0
    assert values["sink_strength"] == pytest.approx(1 / N)
    assert values["punctuation_mass"] == pytest.approx(4 / N)
    assert values["backward_mass"] == pytest.approx((N - 1) / 2 / N)
    assert values["k_share"] == pytest.approx(np.ceil(0.9 * N) / N)


def test_blocks():
    values = features(blocks())
    assert values["block_score"] == pytest.approx(0.5)
    assert values["effective_rank_share"] == pytest.approx(2 / N)
    assert values["row_entropy"] == pytest.approx(np.log(N / 2) / np.log(N))


def test_masses_to_earlier_later_and_the_same_token_are_all_there_is():
    values = head_features(random_heads(5), token_sets(), mass_share=0.9, n_columns=2)
    whole = values["backward_mass"] + values["self_mass"] + values["forward_mass"]
    np.testing.assert_allclose(whole, 1, rtol=1e-6)


def test_nine_tenths_of_uniform_attention_are_461_of_512_keys_and_one_of_a_single_key():
    assert set(k_of_mass(uniform(512), 0.9)) == {461}
    assert set(k_of_mass(np.eye(8), 0.9)) == {1}
    assert set(k_of_mass(uniform(10), 0.9)) == {9}  # 0.9 exactly, which float32 misses


def test_entropy_of_values_is_that_of_the_published_code():
    everything = np.ones((64, 64), bool)
    assert value_entropy(np.eye(64)[None], everything)[0] == pytest.approx(0.080485, abs=1e-6)
    assert value_entropy(np.full((1, 5, 5), 0.2), everything[:5, :5])[0] == 0
    noise = np.random.default_rng(0).random((1, 64, 64))
    assert value_entropy(noise, everything)[0] == pytest.approx(np.log(20), abs=0.01)


def test_row_entropy_is_that_of_scipy_over_what_a_query_sees():
    heads = random_heads(2, 6)
    expected = entropy(heads, axis=-1).mean(axis=-1) / np.log(6)
    row_entropies = row_entropy(heads, np.ones((6, 6), bool))
    np.testing.assert_allclose(row_entropies, expected, rtol=1e-5)


def test_a_decoder_that_looks_at_all_that_it_sees_is_uniform():
    visible = np.tri(N, dtype=bool)
    head = (visible / visible.sum(axis=1, keepdims=True)).astype(np.float32)[None]
    assert row_entropy(head, visible)[0] == pytest.approx(1)
    tokens = TokenSets(np.zeros(N, bool), np.zeros(N, bool), visible)
    values = head_features(head, tokens, mass_share=0.9, n_columns=2)
    assert values["forward_mass"][0] == 0
    assert values["k_share"][0] > 0.9


def test_what_a_text_does_not_have_is_not_defined():
    tokens = TokenSets(np.zeros(N, bool), np.zeros(N, bool), np.ones((N, N), bool))
    values = head_features(random_heads(2), tokens, mass_share=0.9, n_columns=2)
    undefined = {name for name, value in values.items() if np.isnan(value).any()}
    assert undefined == {"separator_mass", "punctuation_mass"}
    assert np.isnan(mass_to(random_heads(2), np.zeros(N, bool))).all()


def test_of_a_text_of_one_token_nothing_is_defined():
    one = np.ones((1, 1), bool)
    values = head_features(
        np.ones((3, 1, 1)), TokenSets(~one[0], ~one[0], one), mass_share=0.9, n_columns=2
    )
    assert all(np.isnan(value).all() and value.shape == (3,) for value in values.values())
    assert np.isnan(row_entropy(np.ones((3, 1, 1)), one)).all()
