"""`parts_of`: the maps are those that a run of the model uses."""

from __future__ import annotations

from typing import Any

import pytest

from embspace.errors import InputError
from embspace.models.parameters.parts import Parts, parts_of
from tests.lazy import torch, transformers
from tests.models.parameters.tiny import MODEL_TYPES, tiny
from tests.models.stream.tiny import SIZES


def recorded(module: Any) -> list[tuple[Any, torch.Tensor, torch.Tensor]]:
    """Each module with a matrix, its input and its output, of one token; in order."""
    products: list[tuple[Any, torch.Tensor, torch.Tensor]] = []
    hooks = [
        layer.register_forward_hook(
            lambda module, given, made: products.append((module, given[0], made))
        )
        for layer in module.modules()
        if getattr(layer, "weight", None) is not None
        and layer.weight.ndim == 2
        and not isinstance(layer, torch.nn.Embedding)
    ]
    with torch.no_grad():
        module(input_ids=torch.tensor([[7]]), attention_mask=torch.tensor([[1]]))
    for hook in hooks:
        hook.remove()
    return products


def run_of(products: list[Any], weight: torch.Tensor, number: int) -> tuple[Any, Any]:
    """What went into the module of a weight, and what came out, the `number`th time."""
    runs = [
        (given, made)
        for layer, given, made in products
        if layer.weight.data_ptr() == weight.data_ptr()
    ]
    return runs[min(number, len(runs) - 1)]


def activated(parts: Parts, x: torch.Tensor, act: Any) -> torch.Tensor:
    if "gate" in parts.ff_keys:
        return act(parts.ff_keys["gate"](x)) * parts.ff_keys["up"](x)  # type: ignore[no-any-return]
    return act(parts.ff_keys["key"](x))  # type: ignore[no-any-return]


def same(first: torch.Tensor, second: torch.Tensor) -> bool:
    shapes_fit = first.numel() == second.numel()
    return shapes_fit and torch.allclose(first.ravel(), second.ravel(), atol=1e-5)


@pytest.mark.parametrize("model_type", MODEL_TYPES)
def test_one_token_goes_through_value_output_key_and_value(model_type: str):
    """Attention of a text of one token is its value: no other part of attention is between."""
    module = tiny(model_type)
    config = module.config
    names = ("hidden_act", "activation_function", "hidden_activation", "activation")
    act = transformers.activations.ACT2FN[
        next((getattr(config, n) for n in names if hasattr(config, n)), "gelu_new")
    ]
    products = recorded(module)
    parts = parts_of(module)
    assert [block.layer for block in parts] == list(range(1, config.num_hidden_layers + 1))
    with torch.no_grad():
        for number, block in enumerate(parts):
            is_shared = parts[0].output.weight.data_ptr() == parts[-1].output.weight.data_ptr()
            at = number if is_shared else 0
            given, made = run_of(products, block.output.weight, at)
            assert same(block.output(given.reshape(1, -1)), made)
            inputs = [x.reshape(1, -1) for _, x, _ in products if x.shape[-1] == config.hidden_size]
            grouped = block.n_heads // block.n_key_heads
            values = [
                block.value(x).reshape(block.n_key_heads, -1).repeat_interleave(grouped, dim=0)
                for x in inputs
            ]
            assert any(same(value, given) for value in values)
            given, made = run_of(products, block.ff_values.weight, at)
            assert same(block.ff_values(given.reshape(1, -1)), made)
            assert any(same(activated(block, x, act), given) for x in inputs)


def test_queries_keys_and_values_of_head_after_head_are_told_apart():
    module = tiny("gpt_neox")
    rows = module.layers[0].attention.query_key_value.weight.reshape(4, 3, 6, 24)
    block = parts_of(module)[0]
    assert torch.equal(block.query.weight[6:12], rows[1, 0])
    assert torch.equal(block.key.weight[6:12], rows[1, 1])


def test_albert_has_its_block_once_for_each_layer():
    blocks = parts_of(tiny("albert"))
    assert [block.layer for block in blocks] == [1, 2, 3]
    assert blocks[0].ff_values.weight is blocks[2].ff_values.weight


def test_groups_of_several_blocks_are_refused():
    with pytest.raises(InputError, match="key 'inner_group_num': found 2, allowed: 1"):
        parts_of(tiny("albert", inner_group_num=2))


def test_an_unknown_architecture_is_refused_by_name():
    config = transformers.AutoConfig.for_model("deberta-v2", **SIZES, type_vocab_size=0)
    with pytest.raises(InputError, match=r"DebertaV2Model: .*found 'deberta-v2'.* allowed: bert"):
        parts_of(transformers.AutoModel.from_config(config))
