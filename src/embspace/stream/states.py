"""The states of all layers of some windows, in one forward pass of batches sorted by length."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from embspace.models.encoder import batch_rule, batches_by_length
from embspace.models.final_norm import layer_states
from embspace.models.windows import Window
from embspace.stream.sources import Text

TOKENS_ON_CPU = 1024  # of a batch: of 512 to 4,096 the fastest, by a seventh, see docs/scale.md


def token_states(
    module: Any,
    windows: Sequence[Window],
    tokens_per_batch: int,
    final_norm: str | None,
    *,
    checked: bool = False,
) -> Float[np.ndarray, "layer token dim"]:
    """Return the states of all tokens of `windows`, in order, layers 0..L, in float32.

    Windows of similar length are read together, at most `tokens_per_batch` tokens with padding, on
    a CPU at most `TOKENS_ON_CPU`, in the module's type of number. Attentions are not requested, and
    torch's attention, without kept attentions, is used. With `checked`, states without a later norm
    are not checked again.

    Raises:
        InputError: `final_norm` does not follow the last block.
    """
    import torch

    if next(module.parameters()).device.type == "cpu":
        tokens_per_batch = min(tokens_per_batch, TOKENS_ON_CPU)
    lengths = [len(window.ids) for window in windows]
    starts = np.cumsum(lengths) - lengths
    states: Any = None
    for batch in batches_by_length(lengths, tokens_per_batch, batch_rule(module)):
        shape = (len(batch), lengths[batch[0]])
        ids, mask = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for row, index in enumerate(batch):
            ids[row, : lengths[index]], mask[row, : lengths[index]] = windows[index].ids, 1
        rows = np.concatenate([starts[index] + np.arange(lengths[index]) for index in batch])
        layers = _layers(module, ids, mask, final_norm, checked=checked)
        kept = torch.from_numpy(np.flatnonzero(mask))
        for layer, tensor in enumerate(layers):
            if states is None:
                states = torch.empty((len(layers), sum(lengths), tensor.shape[-1]))
            flat = tensor.reshape(-1, tensor.shape[-1])
            states[layer, torch.from_numpy(rows)] = flat[kept.to(flat.device)].float().cpu()
    return np.zeros((0, 0, 0), np.float32) if states is None else states.numpy()


def _layers(
    module: Any, ids: np.ndarray, mask: np.ndarray, final_norm: str | None, *, checked: bool
) -> Sequence[Any]:
    """Return a tensor (row, token, dim) a layer."""
    import torch

    device = next(module.parameters()).device
    input_ids, attention_mask = (torch.from_numpy(array).to(device) for array in (ids, mask))
    if final_norm is not None or not checked:
        return list(layer_states(module, input_ids, attention_mask, final_norm).layers)
    with torch.inference_mode():
        output = module(
            input_ids=input_ids, attention_mask=attention_mask, output_hidden_states=True
        )
    return output.hidden_states


def chunks_of(
    groups: Iterator[tuple[list[Text], list[Window]]], tokens_per_chunk: int
) -> Iterator[tuple[list[Text], list[Window]]]:
    """Join groups of texts with their windows into chunks of at least `tokens_per_chunk` tokens.

    A text is never divided between chunks. `Window.text` counts the texts of the chunk.
    """
    chunk: list[Text] = []
    windows: list[Window] = []
    n_tokens = 0
    for texts, group_windows in groups:
        first, end = 0, 0
        for number in range(len(texts)):
            while end < len(group_windows) and group_windows[end].text == number:
                end += 1
            windows += [replace(window, text=len(chunk)) for window in group_windows[first:end]]
            n_tokens += sum(len(window.ids) for window in group_windows[first:end])
            chunk.append(texts[number])
            first = end
            if n_tokens >= tokens_per_chunk:
                yield chunk, windows
                chunk, windows, n_tokens = [], [], 0
    if chunk:
        yield chunk, windows
