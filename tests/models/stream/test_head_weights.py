import pytest

from embspace.errors import InputError
from embspace.models.stream.head_weights import head_weights
from embspace.models.stream.rebuild import rebuild_stream
from tests.lazy import torch
from tests.models.stream.tiny import OTHERS, batch, tiny


@pytest.mark.parametrize("model_type", OTHERS)
def test_what_the_heads_add_is_what_attention_adds(model_type: str):
    module = tiny(model_type)
    weights = head_weights(module)
    for stream, heads in zip(rebuild_stream(module, *batch()), weights, strict=True):
        assert stream.layer == heads.layer
        added = torch.einsum("hdk,bhtk->btd", heads.output, stream.head_output)
        if heads.output_bias is not None:
            added = added + heads.output_bias
        assert torch.allclose(added, stream.attention_added, atol=1e-5)


@pytest.mark.parametrize("model_type", OTHERS)
def test_values_are_made_of_what_the_heads_read(model_type: str):
    module = tiny(model_type)
    rotary = model_type in ("modernbert", "llama")
    weights = head_weights(module)
    for stream, heads in zip(rebuild_stream(module, *batch()), weights, strict=True):
        for kind in ("value",) if rotary else ("query", "key", "value"):
            matrix, bias = getattr(heads, kind), getattr(heads, f"{kind}_bias")
            assert matrix.shape == (4, 6, 24)
            made = torch.einsum("hkd,btd->bhtk", matrix, stream.attention_input)
            if bias is not None:
                made = made + bias[:, None]
            assert torch.allclose(made, getattr(stream, kind), atol=1e-5)
        assert heads.output.shape == (4, 24, 6)
        assert not heads.query.requires_grad


def test_columns_in_place_of_rows_are_no_heads():
    """The code of "The geometry of BERT" cuts columns, W[:, h * d : (h + 1) * d], of torch's W.

    These are another map, whose attention is not the model's.
    """
    module = tiny("bert")
    ids, mask = (tensor[:1] for tensor in batch())
    stream = next(rebuild_stream(module, ids, mask))
    attention = module.encoder.layer[0].attention.self
    for head in range(4):
        columns = slice(head * 6, (head + 1) * 6)
        query, key = (
            stream.input @ part.weight[:, columns] for part in (attention.query, attention.key)
        )
        wrong = (query @ key.transpose(1, 2) / 6**0.5).softmax(dim=-1)
        assert (wrong - stream.attention[:, head]).abs().max() > 0.1
    heads = head_weights(module)[0]
    assert torch.equal(heads.query[1], attention.query.weight[6:12])


def test_grouped_keys_stand_once_for_each_head():
    module = tiny("llama")
    heads = head_weights(module)[0]
    assert heads.n_key_heads == 2
    assert torch.equal(heads.key[0], heads.key[1])
    assert not torch.equal(heads.key[1], heads.key[2])
    assert torch.equal(heads.value[2], heads.value[3])
    assert heads.query_bias is None
    assert heads.output_bias is None


def test_shared_keys_have_their_bias_as_often():
    heads = head_weights(tiny("llama", attention_bias=True))[0]
    assert heads.key_bias is not None
    assert torch.equal(heads.key_bias[0], heads.key_bias[1])
    assert heads.key_bias.shape == (4, 6)


def test_heads_that_do_not_divide_the_width_are_refused():
    module = tiny("bert")
    module.config.num_attention_heads = 5
    with pytest.raises(InputError, match="layer 1: 5 heads do not divide the width 24"):
        head_weights(module)
