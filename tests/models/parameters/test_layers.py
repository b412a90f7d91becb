"""`layer_parameters`: rows are vectors of the model's width, heads one after another."""

import numpy as np
import pytest

from embspace.models.parameters.layers import layer_parameters
from embspace.models.stream.head_weights import head_weights
from tests.models.parameters.tiny import MODEL_TYPES, tiny
from tests.models.stream.tiny import OTHERS


@pytest.mark.parametrize("model_type", OTHERS)
def test_rows_of_a_head_are_its_weights(model_type: str):
    module = tiny(model_type)
    for read, expected in zip(layer_parameters(module, None), head_weights(module), strict=True):
        for kind in ("query", "key", "value"):
            rows = getattr(read, kind).reshape(4, 6, 24)
            assert np.array_equal(rows, getattr(expected, kind).numpy())
            bias, head_bias = getattr(read, f"{kind}_bias"), getattr(expected, f"{kind}_bias")
            assert (bias is None) == (head_bias is None)
            assert bias is None or np.array_equal(bias.reshape(4, 6), head_bias.numpy())
        output = read.output.reshape(4, 6, 24)
        assert np.array_equal(output, expected.output.permute(0, 2, 1).numpy())
        assert read.head_dim == 6


@pytest.mark.parametrize("model_type", MODEL_TYPES)
def test_every_group_has_rows_of_the_width_and_one_dtype(model_type: str):
    module = tiny(model_type)
    for layer in layer_parameters(module, None):
        for name, rows in layer.groups().items():
            assert rows.shape[1] == module.config.hidden_size, name
            assert rows.dtype == np.float32
            scale = layer.scale(name)
            assert scale is None or scale.shape == rows.shape[1:]
        units = {name: len(rows) for name, rows in layer.ff_keys.items()}
        assert set(units.values()) == {len(layer.ff_values)}
        is_gated = model_type in ("modernbert", "llama")
        assert list(units) == (["gate", "up"] if is_gated else ["key"])


def test_scales_are_those_of_the_norms_between_stream_and_words():
    bert, gpt2 = tiny("bert"), tiny("gpt2")
    after = layer_parameters(bert, None)[1]
    block = bert.encoder.layer[1]
    assert after.scale("feed_forward_key") is None
    assert after.scale("attention_query") is None
    assert np.array_equal(
        after.scale("feed_forward_value"), block.output.LayerNorm.weight.detach().numpy()
    )
    assert np.array_equal(
        after.scale("attention_output"), block.attention.output.LayerNorm.weight.detach().numpy()
    )
    before = layer_parameters(gpt2, gpt2.ln_f)[1]
    assert np.array_equal(before.scale("feed_forward_key"), gpt2.h[1].ln_2.weight.detach().numpy())
    assert np.array_equal(before.scale("attention_key"), gpt2.h[1].ln_1.weight.detach().numpy())
    assert np.array_equal(before.scale("feed_forward_value"), gpt2.ln_f.weight.detach().numpy())


def test_the_first_block_of_modernbert_has_no_norm_in_front():
    module = tiny("modernbert")
    first, second = layer_parameters(module, module.final_norm)[:2]
    assert first.scale("attention_query") is None
    assert second.scale("attention_query") is not None


def test_layers_of_one_block_share_their_arrays():
    layers = layer_parameters(tiny("albert"), None)
    assert np.shares_memory(layers[0].ff_values, layers[2].ff_values)
