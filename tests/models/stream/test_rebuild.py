from pathlib import Path
from typing import Any

import pytest
import yaml

from embspace.errors import InputError
from embspace.models.final_norm import layer_states
from embspace.models.stream.rebuild import embedding_output, rebuild_stream
from embspace.models.weights import load_model
from embspace.settings.model import describe_model
from tests.lazy import torch, transformers
from tests.models.stream.tiny import FINAL_NORMS, OTHERS, TOLERANCE, batch, tiny


def expected_states(module: Any, model_type: str, ids: Any, mask: Any) -> Any:
    return layer_states(module, ids, mask, FINAL_NORMS.get(model_type)).layers


@pytest.mark.parametrize("model_type", OTHERS)
def test_each_block_is_the_model_s_own_hidden_state(model_type: str):
    module = tiny(model_type)
    ids, mask = batch()
    states = expected_states(module, model_type, ids, mask)
    streams = list(rebuild_stream(module, ids, mask))
    assert [stream.layer for stream in streams] == list(range(1, len(states)))
    assert not torch.allclose(states[1][mask.bool()], states[0][mask.bool()], atol=0.1)
    for stream in streams:
        for rebuilt, layer in ((stream.input, stream.layer - 1), (stream.output, stream.layer)):
            difference = (rebuilt - states[layer])[mask.bool()].abs().max()
            assert difference < TOLERANCE, (model_type, layer)


@pytest.mark.parametrize("model_type", OTHERS)
def test_attention_is_that_of_transformers(model_type: str):
    module = tiny(model_type)
    module.set_attn_implementation("eager")
    ids, mask = batch()
    with torch.no_grad():
        attentions = module(input_ids=ids, attention_mask=mask, output_attentions=True).attentions
    for stream, attention in zip(rebuild_stream(module, ids, mask), attentions, strict=True):
        rows = mask.bool()[:, None, :, None].expand_as(attention)
        assert (stream.attention - attention)[rows].abs().max() < 1e-6
        assert torch.allclose(stream.attention.sum(-1), torch.ones(()), atol=1e-5)


@pytest.mark.parametrize("model_type", OTHERS)
def test_parts_add_up(model_type: str):
    ids, mask = batch()
    for stream in rebuild_stream(tiny(model_type), ids, mask):
        together = stream.head_output.transpose(1, 2).flatten(start_dim=2)
        assert torch.equal(together, stream.concatenation)
        if stream.norm_first:
            summed = stream.input + stream.attention_added
            assert torch.equal(summed, stream.after_attention)
            assert torch.equal(stream.output, stream.after_attention + stream.mlp_added)
        else:
            assert stream.attention_input is stream.input
            assert stream.mlp_input is stream.after_attention


def test_texts_do_not_change_with_what_they_are_padded_with():
    module = tiny("bert")
    ids, mask = batch()
    alone = list(rebuild_stream(module, ids[1:2, :6], mask[1:2, :6]))
    for single, together in zip(alone, rebuild_stream(module, ids, mask), strict=True):
        assert torch.allclose(single.output[0], together.output[1, :6], atol=TOLERANCE)


def test_padding_on_the_left_is_as_in_the_model():
    module = tiny("llama")
    ids, mask = (tensor.flip(1) for tensor in batch())
    states = expected_states(module, "llama", ids, mask)
    for stream in rebuild_stream(module, ids, mask):
        assert torch.isfinite(stream.output).all()
        difference = (stream.output - states[stream.layer])[mask.bool()].abs().max()
        assert difference < TOLERANCE


def test_local_blocks_see_no_farther_than_their_window():
    module = tiny("modernbert")
    ids, mask = batch()
    distance = (torch.arange(11)[:, None] - torch.arange(11)[None]).abs()
    kinds = [block.attention_type for block in module.layers]
    assert kinds == [
        "full_attention",
        "sliding_attention",
        "sliding_attention",
        "full_attention",
        "sliding_attention",
    ]
    for stream, kind in zip(rebuild_stream(module, ids, mask), kinds, strict=True):
        far = stream.attention[0][:, distance > 2]
        assert bool((far == 0).all()) == (kind == "sliding_attention")
        assert (stream.attention[0][:, distance <= 2] > 0).all()


def test_the_first_block_of_modernbert_reads_the_embedding_as_it_is():
    streams = list(rebuild_stream(tiny("modernbert"), *batch()))
    assert torch.equal(streams[0].attention_input, streams[0].input)
    assert not torch.allclose(streams[1].attention_input, streams[1].input)


def test_a_classifier_is_rebuilt_without_its_head():
    config = transformers.BertConfig(
        vocab_size=60, hidden_size=24, num_hidden_layers=2, num_attention_heads=4, num_labels=3
    )
    module = transformers.BertForSequenceClassification(config).eval()
    ids, mask = batch()
    states = expected_states(module.bert, "bert", ids, mask)
    for stream in rebuild_stream(module, ids, mask):
        difference = (stream.output - states[stream.layer])[mask.bool()].abs().max()
        assert difference < TOLERANCE


def test_minilm_is_rebuilt():
    described = yaml.safe_load(Path("conf/model/minilm.yaml").read_text(encoding="utf-8"))
    module = load_model("minilm", describe_model("minilm", described))
    ids, mask = batch()
    ids = ids * 97 + 999
    states = expected_states(module, "bert", ids, mask)
    for stream in rebuild_stream(module, ids, mask):
        difference = (stream.output - states[stream.layer])[mask.bool()].abs().max()
        assert difference < TOLERANCE


def test_embedding_output_is_layer_0():
    module = tiny("electra")
    ids, mask = batch()
    states = expected_states(module, "electra", ids, mask)
    assert torch.allclose(embedding_output(module, ids, mask), states[0], atol=TOLERANCE)
    assert not module.encoder.layer[0]._forward_pre_hooks


def test_no_gradient_is_kept_and_none_is_switched_off():
    stream = rebuild_stream(tiny("bert"), *batch())
    first = next(stream)
    assert torch.is_grad_enabled()
    assert not first.output.requires_grad


def test_arrays_will_do():
    module = tiny("gpt2")
    ids, mask = batch()
    pairs = zip(
        rebuild_stream(module, ids, mask),
        rebuild_stream(module, ids.numpy(), mask.numpy()),
        strict=True,
    )
    assert all(torch.equal(one.output, other.output) for one, other in pairs)


def test_an_unknown_architecture_is_refused_before_it_is_run():
    module = tiny("bert")
    module.config.model_type = "mamba"
    with pytest.raises(InputError, match="BertModel.*mamba.*allowed: bert"):
        rebuild_stream(module, *batch())


def test_training_mode_is_refused():
    module = tiny("bert").train()
    with pytest.raises(InputError, match="training mode"):
        rebuild_stream(module, *batch())


def test_a_batch_and_its_mask_have_one_shape():
    ids, mask = batch()
    with pytest.raises(InputError, match=r"ids of \(3, 11\) and a mask of \(3, 5\)"):
        rebuild_stream(tiny("bert"), ids, mask[:, :5])
    with pytest.raises(InputError, match=r"\(0, 11\)"):
        rebuild_stream(tiny("bert"), ids[:0], mask[:0])
