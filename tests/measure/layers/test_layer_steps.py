"""Layers in equal steps: few enough, and the ends among them."""

import pytest

from embspace.measure.layers.layer_steps import layers_in_steps


@pytest.mark.parametrize(
    ("n_layers", "most", "layers"),
    [
        (1, 13, [0]),
        (31, None, [*range(31)]),
        (7, 13, [0, 1, 2, 3, 4, 5, 6]),
        (13, 13, [*range(13)]),
        (14, 13, [0, 2, 4, 6, 8, 10, 12, 13]),
        (25, 13, [*range(0, 25, 2)]),
        (31, 13, [*range(0, 31, 3)]),
        (31, 2, [0, 30]),
    ],
)
def test_models_of_known_depth(n_layers: int, most: int | None, layers: list[int]):
    assert layers_in_steps(n_layers, most) == layers


@pytest.mark.parametrize("most", [2, 3, 5, 13])
def test_never_more_than_allowed_and_both_ends(most: int):
    for n_layers in range(1, 60):
        layers = layers_in_steps(n_layers, most)
        assert len(layers) <= most
        assert (layers[0], layers[-1]) == (0, n_layers - 1)
        assert len({b - a for a, b in zip(layers[:-2], layers[1:-1], strict=True)}) <= 1
