from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from embspace.errors import InputError
from embspace.models.stream.attention_maps import (
    attention_maps,
    check_head_count,
    given_attention,
    gives_attention,
)
from embspace.models.stream.rebuild import rebuild_stream
from tests.lazy import torch, transformers
from tests.models.stream.tiny import OTHERS, batch, tiny
from tests.tiny_architectures import build_tiny


@pytest.mark.parametrize("model_type", OTHERS)
def test_maps_are_those_of_the_rebuilt_stream(model_type: str):
    module = tiny(model_type)
    ids, mask = batch()
    maps = attention_maps(module, ids, mask)
    rows = mask.bool()[:, None, :, None]
    for stream, attention in zip(rebuild_stream(module, ids, mask), maps, strict=True):
        assert attention.shape == (3, 4, 11, 11)
        assert ((stream.attention - attention).abs() * rows).max() < 1e-6


def test_the_model_is_set_back():
    module = tiny("bert")
    assert module.config._attn_implementation == "sdpa"
    attention_maps(module, *(tensor.numpy() for tensor in batch()))
    assert module.config._attn_implementation == "sdpa"


def test_an_empty_tuple_of_attention_is_no_result():
    with pytest.raises(InputError, match="BertModel: gives the attention of 0 of 3 layers.*sdpa"):
        given_attention(tiny("bert"), *batch())


@pytest.mark.parametrize("attentions", [None, (), (None, None), "of one layer"])
def test_attention_of_too_few_layers_is_no_result(attentions: Any):
    if attentions == "of one layer":
        attentions = (torch.ones(1, 1, 1, 1),)

    class Module:
        config = SimpleNamespace(num_hidden_layers=2)

        def __call__(self, **_: Any) -> Any:
            return SimpleNamespace(attentions=attentions)

    with pytest.raises(InputError, match="of 2 layers"):
        given_attention(Module(), *batch())


def test_a_model_without_attention_has_no_maps():
    config = transformers.MambaConfig(
        vocab_size=60, hidden_size=8, num_hidden_layers=1, state_size=2
    )
    with pytest.raises(InputError, match="MambaModel: gives the attention of 0 of 1 layer"):
        attention_maps(transformers.MambaModel(config).eval(), *batch())


def test_which_models_give_the_attention_of_every_layer(tmp_path: Path):
    assert gives_attention(tiny("bert"))
    for kind in ("fnet", "recurrent_gemma"):
        folder = build_tiny(kind, tmp_path / kind)
        assert not gives_attention(transformers.AutoModel.from_pretrained(folder).eval())


def test_heads_that_do_not_divide_the_width_are_refused():
    module = tiny("bert")
    module.config.num_attention_heads = 5
    with pytest.raises(InputError, match="'num_attention_heads': found 5.*divides the width 24"):
        attention_maps(module, *batch())


def test_heads_with_a_width_of_their_own_need_not_divide():
    check_head_count(
        SimpleNamespace(config=SimpleNamespace(num_attention_heads=5, hidden_size=24, head_dim=6))
    )
    with pytest.raises(InputError, match="without a model"):
        check_head_count(None)
