"""Hidden states of all layers: layer 0 is the embedding output, 1..L are the blocks."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from embspace.clouds.pooling import EXTRACTED, pool
from embspace.errors import InputError
from embspace.models.final_norm import final_norm_dim, layer_states
from embspace.models.windows import Window
from embspace.settings.model import Batches

NORMED = "final_norm_"  # prefix of the tensors of what the norm after the last block makes
RULE = "embspace_batches"  # a key that `load_model` puts into the config of a module
UNREAD = (1, 0, 0)  # the shape of states where there is no module: layer 0 alone, without a row


@dataclass(frozen=True)
class EncodedWindow:
    """The output of a model for one window."""

    index: int  # of the window in the list that was given
    tokens: Float[np.ndarray, "layer token dim"]
    pooled: dict[str, Float[np.ndarray, "layer dim"]]
    final_norm: Float[np.ndarray, "1 token norm_dim"] | None
    """The last layer after the norm that follows the last block; None without a norm."""

    def tensors(self) -> dict[str, np.ndarray]:
        """Return `token` (layer, token, dim) and pooled tensors (layer, 1, dim); also normed."""
        named = _with_pooled("", self.tokens, self.pooled)
        if self.final_norm is not None:
            named |= _with_pooled(NORMED, self.final_norm, pool(self.final_norm, EXTRACTED))
        return named


def tensor_shapes(
    module: Any, final_norm: str | None, n_rows: Mapping[str, int]
) -> dict[str, tuple[int, int, int]]:
    """Shapes (layer, row, dim) of the tensors by name, from numbers of rows.

    Tensors after the final norm have one layer.
    """
    layers, dim = module.config.num_hidden_layers + 1, module.config.hidden_size
    shapes = {kind: (layers, rows, dim) for kind, rows in n_rows.items()}
    if final_norm is not None:
        norm_dim = final_norm_dim(module, final_norm)
        shapes |= {f"{NORMED}{kind}": (1, rows, norm_dim) for kind, rows in n_rows.items()}
    return shapes


def batches_by_length(
    lengths: Sequence[int],
    tokens_per_batch: int,
    rule: Batches = "any",
    most_padding: float = math.inf,
) -> list[list[int]]:
    """Indices in batches of similar length: rows times longest row stays within the bound.

    A single row longer than the bound is a separate batch. Longest first: a bound too large fails
    at the start. A batch is filled up by at most `most_padding` tokens. By the `rule` of a model, a
    batch may have rows of equal length only, or a single row.
    """
    order = sorted(range(len(lengths)), key=lambda index: (-lengths[index], index))
    batches: list[list[int]] = []
    padding = 0
    for index in order:
        longest = lengths[batches[-1][0]] if batches else 0
        padding += longest - lengths[index]
        fits = batches and longest * (len(batches[-1]) + 1) <= tokens_per_batch
        if fits and padding <= most_padding:
            batches[-1].append(index)
        else:
            batches.append([index])
            padding = 0
    return by_rule(batches, lengths, rule)


def by_rule(
    batches: Sequence[Sequence[int]], lengths: Sequence[int], rule: Batches
) -> list[list[int]]:
    """Return the same batches, cut where rows in a batch would change each other's states."""
    if rule == "any":
        return [list(batch) for batch in batches]
    cut: list[list[int]] = []
    for batch in batches:
        same: dict[int, list[int]] = {}
        for place, index in enumerate(batch):
            same.setdefault(place if rule == "alone" else lengths[index], []).append(index)
        cut.extend(same.values())
    return cut


def batch_rule(module: Any) -> Batches:
    """Return the rule for batches of a loaded model, from the model's description."""
    return getattr(module.config, RULE, "any")


def device_of(module: Any) -> str:
    """Return the device that a loaded model is on."""
    return str(next(module.parameters()).device)


def encode(
    module: Any,
    windows: Sequence[Window],
    batches: Sequence[Sequence[int]],
    device: str,
    final_norm: str | None,
) -> Iterator[EncodedWindow]:
    """The hidden states of windows, batch by batch; `index` has the number of the window.

    `final_norm` is the module after the last block, if present. Rows are padded on the right,
    invisible to real tokens: encoders mask padding, decoders only look left.

    Raises:
        InputError: if a window has no token, a state is NaN or infinite, or `final_norm` does not
            follow the last block.
    """
    import torch

    if torch.device(device) != next(module.parameters()).device:  # `to` walks all its parts
        module = module.to(device)
    lengths = [len(window.ids) for window in windows]
    for batch in by_rule(batches, lengths, batch_rule(module)):
        ids, mask = (
            torch.from_numpy(array).to(device)
            for array in padded([windows[index].ids for index in batch])
        )
        states = layer_states(module, ids, mask, final_norm)
        layers = states.layers.float().cpu().numpy()
        normed = None if states.final_norm is None else states.final_norm.float().cpu().numpy()
        for row, index in enumerate(batch):
            n_tokens = len(windows[index].ids)
            tokens = layers[:, row, :n_tokens]
            _check_finite(tokens, windows[index])
            after_norm = None if normed is None else normed[None, row, :n_tokens]
            yield EncodedWindow(index, tokens, pool(tokens, EXTRACTED), after_norm)


def _with_pooled(
    prefix: str, tokens: np.ndarray, pooled: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    return {f"{prefix}token": tokens} | {
        f"{prefix}{pooling}": vectors[:, None] for pooling, vectors in pooled.items()
    }


def padded(rows: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return ids (row, token), filled up on the right with 0, and a mask, true for tokens."""
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
