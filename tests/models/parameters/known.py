"""Parameters of models that are drawn at random, and so hold nothing but what is planted."""

from collections.abc import Sequence

import numpy as np

from embspace.models.parameters.layers import LayerParameters
from embspace.models.parameters.read import ModelParameters

N_TOKENS, DIM, N_HEADS, D_FF = 40, 8, 2, 10


def known_parameters(
    seed: int, *, n_layers: int = 2, ff_keys: Sequence[str] = ("key",)
) -> ModelParameters:
    """Return a model of 40 tokens and 8 dimensions, of normal entries."""
    generator = np.random.default_rng(seed)

    def rows(n: int) -> np.ndarray:
        return generator.normal(size=(n, DIM)).astype(np.float32)

    layers = [
        LayerParameters(
            layer=layer + 1,
            query=rows(DIM),
            key=rows(DIM),
            value=rows(DIM),
            output=rows(DIM),
            query_bias=None,
            key_bias=None,
            value_bias=None,
            output_bias=None,
            n_heads=N_HEADS,
            ff_keys={name: rows(D_FF) for name in ff_keys},
            ff_key_biases=dict.fromkeys(ff_keys),
            ff_values=rows(D_FF),
            ff_value_bias=None,
            attention_input_scale=None,
            ff_input_scale=None,
            attention_output_scale=None,
            ff_output_scale=None,
        )
        for layer in range(n_layers)
    ]
    embedding = rows(N_TOKENS)
    return ModelParameters(
        layers=layers,
        input_embedding=embedding,
        output_embedding=embedding,
        head_transform=None,
        final_norm=None,
        is_tied=True,
        tokens=[f"token_{number}" for number in range(N_TOKENS)],
    )
