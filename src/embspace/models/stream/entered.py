"""Passes that leave a model at a layer, or enter a layer with given states."""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.errors import InputError
from embspace.models.final_norm import layer_states
from embspace.models.stream.adapters import first_block, knows
from embspace.models.tokenizer import read_tokenizer
from embspace.models.windows import cut_windows

TEXTS_AT_ONCE = 128


@dataclass(frozen=True, eq=False)
class TokenIds:
    """Texts as the model reads them, filled up on the right to the longest."""

    ids: Int[np.ndarray, "text token"]
    mask: Bool[np.ndarray, "text token"]
    """True for tokens, special tokens included; False for padding."""

    def batches(self) -> Iterator[tuple[slice, Any, Any]]:
        """Yield some texts at a time: the range of texts, their ids and their mask, as tensors."""
        import torch

        for first in range(0, len(self.ids), TEXTS_AT_ONCE):
            some = slice(first, first + TEXTS_AT_ONCE)
            ids, mask = self.ids[some].copy(), self.mask[some].astype(np.int64)
            yield some, torch.from_numpy(ids), torch.from_numpy(mask)

    def of(self, rows: Int[np.ndarray, " row"]) -> "TokenIds":
        """Return some of the texts."""
        return TokenIds(self.ids[rows], self.mask[rows])


def read_texts(texts: list[str], folder: Path, window: int) -> TokenIds:
    """Return the token ids of texts.

    Raises:
        InputError: if a text does not fit into a window, or has no token.
    """
    windows = cut_windows(texts, read_tokenizer(folder), window, length_key="key 'window'")
    if len(windows) > len(texts):
        long = next(window.text for window in windows if window.number)
        raise InputError(
            f"{folder}: key 'window': found {window}, but {len(texts)} texts have {len(windows)} "
            f"windows, the first of several is text {long}; allowed: as many tokens as the longest "
            "text has, special ones included"
        )
    rows = [window.ids for window in windows]
    shape = (len(rows), max(len(row) for row in rows))
    ids, mask = np.zeros(shape, np.int64), np.zeros(shape, dtype=bool)
    for number, row in enumerate(rows):
        ids[number, : len(row)], mask[number, : len(row)] = row, True
    return TokenIds(ids, mask)


def states_of(
    module: Any, tokens: TokenIds, final_norm: str | None
) -> Float[np.ndarray, "layer text token dim"]:
    """Return the states at the layers 0..L; the last layer is taken before any norm after it."""
    base = module.base_model
    parts = [
        layer_states(base, ids, mask, final_norm).layers.numpy()
        for _, ids, mask in tokens.batches()
    ]
    return np.concatenate(parts, axis=1)


def logits_above(
    module: Any, layer: int, states: Float[np.ndarray, "text token dim"], tokens: TokenIds
) -> Float[np.ndarray, "text class"]:
    """Return the logits that the blocks above a layer and the head make of states at that layer.

    Positions are not added again: they are in the states. Nothing else of the model below the layer
    has any effect.

    Raises:
        InputError: for an architecture with an unknown list of blocks.
    """
    return _outputs_above(module, layer, states, tokens, "logits")


def last_states_above(
    module: Any, layer: int, states: Float[np.ndarray, "text token dim"], tokens: TokenIds
) -> Float[np.ndarray, "text token out"]:
    """Return the last states, after any norm, from states at a layer, by the blocks above.

    As `logits_above`, for a model without a head.

    Raises:
        InputError: for an architecture with an unknown list of blocks.
    """
    return _outputs_above(module, layer, states, tokens, "last_hidden_state")


def last_states(module: Any, tokens: TokenIds) -> Float[np.ndarray, "text token out"]:
    """Return a model's own last states, after any norm."""
    import torch

    with torch.inference_mode():
        parts = [
            module(input_ids=ids, attention_mask=mask).last_hidden_state.numpy()
            for _, ids, mask in tokens.batches()
        ]
    return np.concatenate(parts)


def can_be_entered(module: Any) -> bool:
    """Return whether a model has a separate block for every layer, in a known list.

    ALBERT does not: all layers share a block.
    """
    if not knows(module):
        return False
    _, blocks = _list_of_blocks(module)
    return len(blocks) == module.config.num_hidden_layers


def _outputs_above(
    module: Any,
    layer: int,
    states: Float[np.ndarray, "text token dim"],
    tokens: TokenIds,
    output: str,
) -> np.ndarray:
    import torch

    parts = []
    with torch.inference_mode(), _entered_at(module, layer) as given:
        for some, ids, mask in tokens.batches():
            given.append(torch.from_numpy(np.ascontiguousarray(states[some])))
            parts.append(getattr(module(input_ids=ids, attention_mask=mask), output).numpy())
    return np.concatenate(parts)


def _list_of_blocks(module: Any) -> tuple[str, Any]:
    """Return the path and the list of the blocks."""
    import torch

    first = first_block(module)
    return next(
        (path, part)
        for path, part in module.named_modules()
        if isinstance(part, torch.nn.ModuleList) and len(part) and part[0] is first
    )


@contextmanager
def _entered_at(module: Any, layer: int) -> Iterator[list[Any]]:
    """Replace the blocks up to a layer by a block that returns the last states of a list."""
    import torch

    given = list[Any]()
    path, blocks = _list_of_blocks(module)
    entrance = copy(blocks[0])  # models ask the blocks for what they are
    entrance.forward = lambda *_, **__: given[-1]
    holder, _, name = path.rpartition(".")
    setattr(module.get_submodule(holder), name, torch.nn.ModuleList([entrance, *blocks[layer:]]))
    config, n_layers = module.config, module.config.num_hidden_layers
    config.num_hidden_layers = max(n_layers, 1 + len(blocks) - layer)  # Llama runs no more blocks
    try:
        yield given
    finally:
        setattr(module.get_submodule(holder), name, blocks)
        config.num_hidden_layers = n_layers
