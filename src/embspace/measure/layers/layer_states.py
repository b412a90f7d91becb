"""The hidden states of windows or of some of their tokens, in memory at once."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.measure.tables.pooled_states import windows_of
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


def token_states(
    module: Any,
    tokens: pd.DataFrame,
    rows: Int[np.ndarray, " chosen"],
    final_norm: str | None,
    tokens_per_batch: int,
    device: str,
) -> Float[np.ndarray, "layer chosen dim"]:
    """Return the hidden states that a model computes for some rows of a table of tokens.

    Only the windows of these rows are read, and only the states of these rows are kept.
    """
    read = tokens[tokens["window"].isin(tokens["window"].iloc[rows])]
    place = pd.Series(np.arange(len(rows)), tokens.index[rows]).reindex(read.index)
    places = [part.to_numpy() for _, part in place.groupby(read["window"], sort=True)]
    states: Float[np.ndarray, "layer chosen dim"] | None = None
    batches = batches_by_length([len(part) for part in places], tokens_per_batch)
    for encoded in encode(module, windows_of(read), batches, device, final_norm):
        n_layers, _, dim = encoded.tokens.shape
        if states is None:
            states = np.empty((n_layers, len(rows), dim), encoded.tokens.dtype)
        is_chosen = ~np.isnan(places[encoded.index])
        states[:, places[encoded.index][is_chosen].astype(np.int64)] = encoded.tokens[:, is_chosen]
    assert states is not None  # a window has a row
    return states
