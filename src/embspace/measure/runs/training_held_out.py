"""Measures a trained model's predictions on unseen texts."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.settings.run import CausalLanguageModeling, MaskedLanguageModeling
from embspace.train.batches import Windows
from embspace.train.objectives import sentence_pairs

WINDOWS_AT_ONCE = 64
LanguageModeling = MaskedLanguageModeling | CausalLanguageModeling


@dataclass(frozen=True, eq=False)
class Targets:
    """The tokens that a language model has to predict, one per row, in the order of the windows."""

    window: Int[np.ndarray, " n"]
    position: Int[np.ndarray, " n"]
    target: Int[np.ndarray, " n"]
    previous: Int[np.ndarray, " n"]
    """The token before the target, which a bigram model sees."""


@dataclass(frozen=True, eq=False)
class Predicted:
    """The quality of predictions."""

    loss: Float[np.ndarray, " n"]
    """Negative logarithm of the probability of the target, in nats."""
    correct: Bool[np.ndarray, " n"]
    """Whether the target is the most probable token."""


def target_tokens(phase: LanguageModeling, windows: Windows, special: list[int]) -> Targets:
    """The ordinary tokens to predict under an objective.

    Left to right: all but the first of a window and special tokens. Masked: every k-th ordinary
    token of a window, k = 1 / `masked_share` rounded, with a shifting start: all tokens take part,
    without chance. No two neighbors are hidden and nothing is exchanged: an easier task than in
    training, with a lower loss.
    """
    n_windows, length = windows.ids.shape
    inside = np.arange(length) < windows.n_tokens[:, None]
    is_target = inside & ~np.isin(windows.ids, special)
    is_target[:, 0] = False
    if isinstance(phase, MaskedLanguageModeling):
        step = round(1 / phase.masked_share)
        offset = np.arange(length) + np.arange(n_windows)[:, None]
        is_target &= offset % step == 0
    window, position = np.nonzero(is_target)
    target, previous = windows.ids[window, position], windows.ids[window, position - 1]
    return Targets(window, position, target, previous)


def predict_tokens(
    module: Any, phase: LanguageModeling, windows: Windows, targets: Targets, mask_id: int | None
) -> Predicted:
    """Return the loss of a model at each target, and whether the most probable token is right.

    Masked: all targets of a window are hidden at once.
    """
    loss, correct = np.empty(len(targets.target)), np.empty(len(targets.target), dtype=bool)
    for rows, logits in _logits(module, phase, windows, targets, mask_id):
        target = targets.target[rows]
        shifted = logits - logits.max(axis=1, keepdims=True)
        target_logit = shifted[np.arange(len(target)), target]
        loss[rows] = np.log(np.exp(shifted).sum(axis=1)) - target_logit
        correct[rows] = logits.argmax(axis=1) == target
    return Predicted(loss, correct)


def choose_between(
    module: Any,
    phase: LanguageModeling,
    windows: Windows,
    targets: Targets,
    mask_id: int | None,
    wrong: Int[np.ndarray, " n"],
) -> Bool[np.ndarray, " n"]:
    """Whether the target is more probable than the `wrong` token in its place."""
    right = np.empty(len(wrong), dtype=bool)
    for rows, logits in _logits(module, phase, windows, targets, mask_id):
        numbers = np.arange(len(logits))
        right[rows] = logits[numbers, targets.target[rows]] > logits[numbers, wrong[rows]]
    return right


def tell_next_sentences(
    module: Any, end: str, windows: Windows, tokenizer: Any
) -> Bool[np.ndarray, " window"]:
    """Whether the model tells a following second part of a window from a different text's.

    Windows of one token less than in training, as for `sentence_pairs`; a fixed coin decides which
    windows go on with a different text.
    """
    import torch

    generator = torch.Generator().manual_seed(0)
    right = []
    for first in range(0, len(windows.ids), WINDOWS_AT_ONCE):
        rows = np.arange(first, min(first + WINDOWS_AT_ONCE, len(windows.ids)))
        inputs = sentence_pairs(end, windows, rows, tokenizer, generator)
        is_other = inputs.pop("next_sentence_label")
        with torch.inference_mode():
            logits = module(**inputs).seq_relationship_logits
        right.append((logits.argmax(-1) == is_other).numpy())
    return np.concatenate(right)


def class_logits(module: Any, windows: Windows) -> Float[np.ndarray, "text class"]:
    """Return the logits by text, means over the windows."""
    import torch

    parts = []
    for first in range(0, len(windows.ids), WINDOWS_AT_ONCE):
        inputs = _inputs(windows, np.arange(first, min(first + WINDOWS_AT_ONCE, len(windows.ids))))
        with torch.inference_mode():
            parts.append(module(**inputs).logits.numpy())
    logits = np.concatenate(parts).astype(np.float64)
    sums = np.zeros((int(windows.text.max()) + 1, logits.shape[1]))
    np.add.at(sums, windows.text, logits)
    return sums / np.bincount(windows.text)[:, None]


def _logits(
    module: Any, phase: LanguageModeling, windows: Windows, targets: Targets, mask_id: int | None
) -> Iterator[tuple[Int[np.ndarray, " row"], Float[np.ndarray, "row token"]]]:
    """Some of the asked tokens, and the logits in their places."""
    import torch

    is_masked = isinstance(phase, MaskedLanguageModeling)
    order = np.unique(targets.window)
    for first in range(0, len(order), WINDOWS_AT_ONCE):
        batch = order[first : first + WINDOWS_AT_ONCE]
        rows = np.flatnonzero(np.isin(targets.window, batch))
        window, position = np.searchsorted(batch, targets.window[rows]), targets.position[rows]
        inputs = _inputs(windows, batch)
        if is_masked:
            inputs["input_ids"][window, position] = mask_id
        with torch.inference_mode():
            output = module(**inputs)
        logits = output.prediction_logits if "prediction_logits" in output else output.logits
        # Left to right, the logits at a token are those of the next one.
        yield rows, logits[window, position - (not is_masked)].double().numpy()


def _inputs(windows: Windows, rows: Int[np.ndarray, " batch"]) -> dict[str, Any]:
    import torch

    longest = int(windows.n_tokens[rows].max())
    attention = np.arange(longest) < windows.n_tokens[rows][:, None]
    return {
        "input_ids": torch.from_numpy(windows.ids[rows, :longest].copy()),
        "attention_mask": torch.from_numpy(attention.astype(np.int64)),
    }
