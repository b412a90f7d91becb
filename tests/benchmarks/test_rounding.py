import numpy as np
import pytest

from benchmarks.rounding import compare_layers, round_weights, rounded
from tests.lazy import torch, transformers

TABLE = "embeddings.word_embeddings.weight"


def test_four_bits_are_sixteen_values_a_block_and_miss_by_half_a_step():
    x = np.random.default_rng(0).normal(size=(8, 32)).astype(np.float32)
    coarse = rounded(x, "Q4_1")
    assert all(len(np.unique(row)) <= 16 for row in coarse)
    step = np.ptp(x, axis=1, keepdims=True) / 15
    assert (np.abs(coarse - x) <= 0.51 * step).all()
    assert np.abs(rounded(x, "Q8_0") - x).max() < np.abs(coarse - x).max() / 8


def test_maps_and_table_are_rounded_and_nothing_else():
    torch.manual_seed(0)
    module = transformers.BertModel(
        transformers.BertConfig(
            vocab_size=64,
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=64,
        )
    )
    before = {name: value.clone() for name, value in module.named_parameters()}
    error = round_weights(module, TABLE)
    changed = {name for name, value in module.named_parameters() if (value != before[name]).any()}
    maps = {name for name in before if ".layer." in name and before[name].ndim == 2}
    assert changed == {*maps, TABLE}
    # A uniform error of a step of a fifteenth of some four deviations.
    assert error == pytest.approx(4.1 / 15 / 12**0.5, rel=0.15)


def test_equal_clouds_have_a_cosine_of_one_and_equal_measures():
    x = np.random.default_rng(0).normal(size=(2, 50, 8)).astype(np.float32)
    table = compare_layers(x, x)
    assert table["cosine_of_the_two"].tolist() == pytest.approx([1, 1])
    assert (table["two_nn, whole"] == table["two_nn, rounded"]).all()
    assert table["layer"].tolist() == ["0", "1"]
