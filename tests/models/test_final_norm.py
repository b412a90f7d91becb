from typing import Any

import numpy as np
import pytest

from embspace.errors import InputError
from embspace.models.final_norm import final_norm_dim, layer_states
from tests.lazy import torch, transformers

IDS = [[3, 1, 4, 1, 5]]
SMALL = {"num_hidden_layers": 2, "hidden_size": 16, "num_attention_heads": 2, "vocab_size": 9}


@pytest.fixture(scope="module")
def gpt2() -> Any:
    config = transformers.GPT2Config(n_layer=2, n_embd=16, n_head=2, vocab_size=9, n_positions=8)
    module = transformers.GPT2Model(config).eval()
    torch.nn.init.normal_(module.ln_f.weight)
    return module


@pytest.fixture(scope="module")
def bert() -> Any:
    return transformers.BertModel(transformers.BertConfig(**SMALL, intermediate_size=32)).eval()


def states(module: Any, final_norm: str | None) -> Any:
    return layer_states(module, torch.tensor(IDS), torch.ones(1, 5, dtype=torch.long), final_norm)


def test_the_last_layer_is_the_stream_and_the_norm_of_it_is_beside(gpt2: Any):
    read = states(gpt2, "ln_f")
    with torch.inference_mode():
        expected = gpt2(input_ids=torch.tensor(IDS))
        assert torch.equal(gpt2.ln_f(read.layers[-1]), expected.last_hidden_state)
    assert torch.equal(read.final_norm, expected.last_hidden_state)
    assert not torch.allclose(read.layers[-1], expected.last_hidden_state)
    # A block adds to the stream: with weights near 0 it changes little.
    assert torch.dist(read.layers[-1], read.layers[-2]) < torch.linalg.norm(read.layers[-1])


def test_a_model_without_a_norm_at_its_end_has_none(bert: Any):
    read = states(bert, None)
    with torch.inference_mode():
        assert torch.equal(read.layers[-1], bert(input_ids=torch.tensor(IDS)).last_hidden_state)
    assert read.final_norm is None


def test_a_norm_that_is_not_named_is_found_out(gpt2: Any):
    with pytest.raises(InputError, match="comes from 'ln_f', after .*\n  final_norm: ln_f"):
        states(gpt2, None)


@pytest.mark.parametrize(
    ("final_norm", "message"),
    [
        ("ln_g", "key 'final_norm': the model has no 'ln_g' outside its blocks; there is .*ln_f"),
        ("h.1.ln_2", "has no 'h.1.ln_2' outside its blocks"),
        ("wte", "'wte' does not follow the last block; the last hidden state comes from ln_f"),
    ],
)
def test_a_wrong_name_is_told(gpt2: Any, final_norm: str, message: str):
    with pytest.raises(InputError, match=message):
        states(gpt2, final_norm)


def test_a_norm_in_the_embeddings_is_not_at_the_end(bert: Any):
    with pytest.raises(InputError, match="does not follow the last block; .* from that block"):
        states(bert, "embeddings.LayerNorm")


def test_a_linear_layer_at_the_end_may_have_another_dimension():
    sizes = {"ffn_dim": 32, "max_position_embeddings": 8, "word_embed_proj_dim": 8}
    config = transformers.OPTConfig(**SMALL, **sizes, do_layer_norm_before=False, pad_token_id=1)
    module = transformers.OPTModel(config).eval()
    read = states(module, "decoder.project_out")
    assert read.layers.shape == (3, 1, 5, 16)
    assert read.final_norm.shape == (1, 5, 8)
    assert final_norm_dim(module, "decoder.project_out") == 8


def test_the_dimension_of_a_norm_is_that_of_its_gain(gpt2: Any):
    assert final_norm_dim(gpt2, "ln_f") == 16
    with pytest.raises(InputError, match="has no 'norm'"):
        final_norm_dim(gpt2, "norm")


def test_nan_is_no_other_tensor(gpt2: Any):
    import copy

    broken = copy.deepcopy(gpt2)
    with torch.no_grad():
        broken.h[1].mlp.c_proj.bias[0] = float("nan")
    assert np.isnan(states(broken, "ln_f").layers[-1].numpy()).any()


def test_no_hook_stays_behind(gpt2: Any):
    states(gpt2, "ln_f")
    assert not gpt2.ln_f._forward_hooks
