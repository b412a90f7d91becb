"""The hidden states of windows, all in memory at once."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from embspace.models.encoder import batches_by_length, encode
from embspace.models.windows import Window


def window_states(
    module: Any,
    windows: Sequence[Window],
    final_norm: str | None,
    tokens_per_batch: int,
    device: str,
) -> dict[str, Float[np.ndarray, "layer row dim"]]:
    """Return the hidden states that a model computes for windows, in their order.

    A row of `token` is a token; a row of the pooled states, `cls`, `mean` and `max`, is a window.
    `tokens_per_batch`, which counts padding, bounds the memory of a batch. Empty without a window.
    """
    lengths = [len(window.ids) for window in windows]
    starts = np.cumsum(lengths) - lengths
    batches = batches_by_length(lengths, tokens_per_batch)
    states: dict[str, Float[np.ndarray, "layer row dim"]] = {}
    for encoded in encode(module, windows, batches, device, final_norm):
        n_layers, _, dim = encoded.tokens.shape
        if not states:
            shapes = {"token": sum(lengths)} | dict.fromkeys(encoded.pooled, len(windows))
            states = {
                kind: np.empty((n_layers, n, dim), encoded.tokens.dtype)
                for kind, n in shapes.items()
            }
        first = starts[encoded.index]
        states["token"][:, first : first + lengths[encoded.index]] = encoded.tokens
        for kind, vectors in encoded.pooled.items():
            states[kind][:, encoded.index] = vectors
    return states
