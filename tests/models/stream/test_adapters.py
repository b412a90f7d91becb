import pytest

from embspace.errors import InputError
from embspace.models.stream.adapters import ADAPTERS, blocks_of, first_block, knows
from tests.lazy import transformers
from tests.models.stream.tiny import OTHERS, tiny


def test_every_architecture_is_tried():
    assert set(OTHERS) == set(ADAPTERS)


@pytest.mark.parametrize("model_type", OTHERS)
def test_every_block_is_found(model_type: str):
    module = tiny(model_type)
    blocks = blocks_of(module)
    assert knows(module)
    assert [block.layer for block in blocks] == list(range(1, module.config.num_hidden_layers + 1))
    assert {block.n_heads for block in blocks} == {4}
    assert {block.head_dim for block in blocks} == {6}


def test_an_architecture_with_parallel_parts_is_not_known():
    config = transformers.GPTNeoXConfig(
        vocab_size=9, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8
    )
    module = transformers.GPTNeoXModel(config)
    assert not knows(module)
    with pytest.raises(InputError, match="GPTNeoXModel.*'gpt_neox'.*bert, roberta.*llama"):
        blocks_of(module)


def test_vectors_without_a_model_are_not_known():
    assert not knows(None)
    with pytest.raises(InputError, match="NoneType"):
        blocks_of(None)


def test_norms_are_where_the_architecture_has_them():
    first = {model_type: blocks_of(tiny(model_type))[0].norm_first for model_type in OTHERS}
    assert {model_type for model_type in OTHERS if first[model_type]} == {
        "modernbert",
        "gpt2",
        "llama",
    }


def test_only_decoders_look_back_alone():
    causal = {model_type for model_type in OTHERS if blocks_of(tiny(model_type))[0].causal}
    assert causal == {"gpt2", "llama"}
    assert blocks_of(tiny("bert", is_decoder=True))[0].causal


def test_the_first_block_is_that_of_the_model():
    module = tiny("distilbert")
    assert first_block(module) is module.transformer.layer[0]


def test_layers_of_albert_share_the_block_of_their_group():
    module = tiny("albert", num_hidden_layers=4, num_hidden_groups=2)
    keys = [block.key.weight for block in blocks_of(module)]
    assert keys[0] is keys[1] and keys[2] is keys[3] and keys[0] is not keys[2]
    several = tiny("albert", inner_group_num=2)
    assert not knows(several)
    with pytest.raises(InputError, match="'inner_group_num': found 2, allowed: 1"):
        blocks_of(several)
