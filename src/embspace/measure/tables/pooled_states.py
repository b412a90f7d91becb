"""Encodes the tokens that a model has read by another module, and pools the states."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.clouds.pooling import POOLINGS
from embspace.models.encoder import batches_by_length, encode, tensor_shapes
from embspace.models.windows import Window
from embspace.settings.model import Model, VectorsModel

PooledStates = dict[str, Float[np.ndarray, "layer window dim"]]


def final_norm_of(name: str, model: Model) -> str | None:
    """Return the name of the norm behind the last block; None of vectors, or without one."""
    return None if isinstance(model, VectorsModel) else model.final_norm


def windows_of(tokens: pd.DataFrame) -> list[Window]:
    """Return the windows of a table of tokens, numbered from 0, as a model has read them."""
    columns = ("id", "special", "repeated", "start", "end")
    return [
        Window(number, 0, *(part[column].to_numpy() for column in columns))
        for number, (_, part) in enumerate(tokens.groupby("window", sort=True))
    ]


def pooled_states(
    module: Any,
    tokens: pd.DataFrame,
    final_norm: str | None,
    tokens_per_batch: int,
    device: str,
    poolings: Sequence[str] = POOLINGS,
) -> PooledStates:
    """Return the pooled states of the windows that the table of tokens describes."""
    windows = windows_of(tokens)
    shapes = tensor_shapes(module, None, dict.fromkeys(poolings, len(windows)))
    states = {pooling: np.empty(shape, np.float32) for pooling, shape in shapes.items()}
    batches = batches_by_length([len(window.ids) for window in windows], tokens_per_batch)
    for window in encode(module, windows, batches, device, final_norm):
        for pooling, vectors in states.items():
            vectors[:, window.index] = window.pooled[pooling]
    return states
