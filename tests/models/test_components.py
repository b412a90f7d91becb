from typing import Any

import pytest

from embspace.models.architecture import config_of, empty_model
from embspace.models.components import Component, components_of, in_ranges
from tests.lazy import torch

SMALL = {"vocab_size": 50, "hidden_size": 16, "num_attention_heads": 2, "num_hidden_layers": 3}
FAMILIES: dict[str, dict[str, Any]] = {
    "bert": SMALL | {"intermediate_size": 32},
    "roberta": SMALL | {"intermediate_size": 32},
    "electra": SMALL | {"intermediate_size": 32, "embedding_size": 8},
    "mpnet": SMALL | {"intermediate_size": 32},
    "albert": SMALL | {"intermediate_size": 32, "embedding_size": 8},
    "distilbert": {"vocab_size": 50, "dim": 16, "n_heads": 2, "n_layers": 3, "hidden_dim": 32},
    "gpt2": {"vocab_size": 50, "n_embd": 16, "n_head": 2, "n_layer": 3, "n_positions": 20},
    "t5": {"vocab_size": 50, "d_model": 16, "num_heads": 2, "num_layers": 3, "d_ff": 32},
    "modernbert": SMALL | {"intermediate_size": 32, "pad_token_id": 0},
}


def family(name: str) -> Any:
    return empty_model(config_of({"model_type": name, **FAMILIES[name]}, "y"))


def n_of_all(component: Component) -> int:
    return component.n_copies * (component.n_weights + component.n_biases)


def by_path(module: Any) -> dict[str, Component]:
    return {component.path: component for component in components_of(module)}


@pytest.mark.parametrize("name", FAMILIES)
def test_leaves_add_up_to_every_parameter_counted_once(name: str):
    model = family(name)
    components = components_of(model)
    expected = sum(parameter.numel() for parameter in model.parameters())
    assert n_of_all(components[0]) == expected
    assert sum(n_of_all(component) for component in components if component.is_leaf) == expected
    assert len({component.path for component in components}) == len(components)


@pytest.mark.parametrize("name", FAMILIES)
def test_every_component_is_the_sum_of_its_parts(name: str):
    components = components_of(family(name))
    for start, whole in enumerate(components):
        below = []
        for component in components[start + 1 :]:
            if component.depth <= whole.depth:
                break
            below.append(component)
        parts = [part for part in below if part.depth == whole.depth + 1]
        assert bool(parts) != whole.is_leaf
        assert not parts or sum(map(n_of_all, parts)) == n_of_all(whole)


@pytest.mark.parametrize("name", FAMILIES)
def test_biases_are_what_torch_calls_so(name: str):
    model = family(name)
    components = components_of(model)
    biases = [
        parameter.numel() for key, parameter in model.named_parameters() if key.endswith("bias")
    ]
    assert components[0].n_biases == sum(biases)
    assert sum(
        component.n_copies * component.n_biases for component in components if component.is_leaf
    ) == sum(biases)


@pytest.mark.parametrize(
    ("name", "path", "n_copies"),
    [
        ("bert", "encoder.layer.*", 3),
        ("distilbert", "transformer.layer.*", 3),
        ("gpt2", "h.*", 3),
        ("albert", "encoder.albert_layer_groups.*", 1),  # one layer, used three times
    ],
)
def test_layers_that_are_alike_are_one_component(name: str, path: str, n_copies: int):
    layer = by_path(family(name))[path]
    assert (layer.place, layer.layers, layer.n_copies) == ("layer", (), n_copies)


def test_albert_s_list_in_a_list_is_one_layer_with_its_parts():
    components = by_path(family("albert"))
    layer = "encoder.albert_layer_groups.*"
    assert components[layer].depth + 1 == components[f"{layer}.albert_layers.*.attention"].depth
    assert f"{layer}.albert_layers" not in components


def test_layers_that_differ_are_told_apart_by_number():
    # ModernBERT's first layer has no LayerNorm before its attention.
    components = by_path(family("modernbert"))
    assert components["layers.0"].layers == (1,)
    assert components["layers.1-2"].layers == (2, 3)
    assert components["layers.1-2.attn"].layers == (2, 3)
    assert components["layers.1-2"].n_weights - components["layers.0"].n_weights == 16
    assert components["embeddings"].layers == ()


def test_two_stacks_of_layers_are_two_components():
    layers = [
        component.path for component in components_of(family("t5")) if component.place == "layers"
    ]
    assert layers == ["encoder.block", "decoder.block"]


def planted() -> Any:
    class Planted(torch.nn.Module):
        """Shared, free-standing and single parameters, and a list."""

        def __init__(self) -> None:
            super().__init__()
            self.table = torch.nn.Embedding(5, 4)
            self.same = torch.nn.Embedding(5, 4)
            self.same.weight = self.table.weight
            self.scale = torch.nn.Parameter(torch.zeros(7))
            self.outer = torch.nn.ModuleDict({"inner": torch.nn.Linear(4, 3)})
            self.blocks = torch.nn.ModuleList(
                [
                    torch.nn.Linear(2, 2),
                    torch.nn.Linear(2, 3),
                    torch.nn.Linear(2, 2),
                    torch.nn.Identity(),
                ]
            )

    return Planted()


def test_a_planted_model_by_hand():
    rows = [
        (
            component.path,
            component.depth,
            component.place,
            component.n_copies,
            component.n_weights,
            component.n_biases,
        )
        for component in components_of(planted())
    ]
    assert rows == [
        ("Planted", 0, "model", 1, 20 + 7 + 12 + 4 + 6 + 4, 3 + 2 + 3 + 2),
        ("scale", 1, "outside", 1, 7, 0),
        ("table", 1, "outside", 1, 20, 0),
        ("outer", 1, "outside", 1, 12, 3),
        ("blocks", 1, "layers", 1, 14, 7),
        ("blocks.0,2", 2, "layer", 2, 4, 2),
        ("blocks.1", 2, "layer", 1, 6, 3),
    ]


def test_a_module_without_parts_is_a_leaf():
    (whole,) = components_of(torch.nn.Linear(3, 2))
    assert whole == Component("Linear", 0, "model", (), 1, 6, 2, is_leaf=True)


@pytest.mark.parametrize(
    ("numbers", "short"),
    [((), ""), ((3,), "3"), ((0, 1, 2, 5), "0-2,5"), ((1, 3, 4), "1,3-4")],
)
def test_numbers_in_short(numbers: tuple[int, ...], short: str):
    assert in_ranges(numbers) == short
