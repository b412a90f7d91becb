"""Hidden states of all layers: layer 0 is the embedding output, 1..L are the blocks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from embspace.errors import InputError
from embspace.models.windows import Window
from embspace.pooling import pool


@dataclass(frozen=True)
class EncodedWindow:
    """What a model makes of one window."""

    index: int  # of the window in the list that was given
    tokens: Float[np.ndarray, "layer token dim"]
    pooled: dict[str, Float[np.ndarray, "layer dim"]]


def batches_by_length(lengths: Sequence[int], tokens_per_batch: int) -> list[list[int]]:
    """Indices in batches of like length: rows times longest row stays within the bound.

    A single row that is longer than the bound is a batch of its own. Longest first, so that
    too large a bound fails at once and not at the end.
    """
    order = sorted(range(len(lengths)), key=lambda index: (-lengths[index], index))
    batches: list[list[int]] = []
    for index in order:
        if batches and lengths[batches[-1][0]] * (len(batches[-1]) + 1) <= tokens_per_batch:
            batches[-1].append(index)
        else:
            batches.append([index])
    return batches


def encode(
    module: Any,
    windows: Sequence[Window],
    batches: Sequence[Sequence[int]],
    device: str,
) -> Iterator[EncodedWindow]:
    """The hidden states of each window, batch by batch; `index` says which window.

    Raises:
        InputError: if a state is NaN or infinite.
    """
    import torch

    module = module.to(device)
    for batch in batches:
        ids, mask = _padded([windows[index].ids for index in batch])
        with torch.inference_mode():
            states = module(
                input_ids=torch.from_numpy(ids).to(device),
                attention_mask=torch.from_numpy(mask).to(device),
                output_hidden_states=True,
            ).hidden_states
        layers = torch.stack(states).float().cpu().numpy()
        for row, index in enumerate(batch):
            tokens = layers[:, row, : len(windows[index].ids)]
            _check_finite(tokens, windows[index])
            yield EncodedWindow(index, tokens, pool(tokens))


def _padded(rows: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    shape = (len(rows), max(len(row) for row in rows))
    ids, mask = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
        mask[number, : len(row)] = 1
    return ids, mask


def _check_finite(tokens: np.ndarray, window: Window) -> None:
    if not np.isfinite(tokens).all():
        layer = int(np.argmin(np.isfinite(tokens).all(axis=(1, 2))))
        raise InputError(
            f"text {window.text}, window {window.number}: layer {layer} holds NaN or infinity"
        )
