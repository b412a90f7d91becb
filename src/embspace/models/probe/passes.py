"""Forward passes of a few tokens, as in extraction."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Int

from embspace.errors import RefusedModel, reason_of
from embspace.models.encoder import padded

TokenRow = Int[np.ndarray, "_"]


def output_of(module: Any, rows: Sequence[TokenRow]) -> Any:
    """Return a model's output for a batch of token rows, padded on the right.

    Raises:
        RefusedModel: if the model cannot read the rows, or returns no hidden states.
    """
    import torch

    ids, mask = map(torch.from_numpy, padded(rows))
    try:
        with torch.inference_mode():
            output = module(input_ids=ids, attention_mask=mask, output_hidden_states=True)
    except Exception as error:  # what a model raises depends on the architecture
        raise RefusedModel(
            f"{type(module).__name__} cannot read a text of {ids.shape[1]} tokens: "
            f"{type(error).__name__}: {reason_of(error)}"
        ) from error
    if not getattr(output, "hidden_states", None):
        raise RefusedModel(
            f"{type(module).__name__} gives no hidden states by that name, "
            f"but {type(output).__name__}"
        )
    return output


def states_of(module: Any, rows: Sequence[TokenRow]) -> list[list[Any]]:
    """Return the states of the tokens of every row, layer by layer, in arrays (token, dim)."""
    layers = output_of(module, rows).hidden_states
    return [[layer[row, : len(ids)] for layer in layers] for row, ids in enumerate(rows)]
