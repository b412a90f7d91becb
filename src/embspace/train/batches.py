"""Windows of token ids, and the order of windows in training."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Int

from embspace.models.windows import cut_windows


@dataclass(frozen=True, eq=False)
class Windows:
    """Tokens for a model to read at once, padded to a common length."""

    ids: Int[np.ndarray, "window token"]
    n_tokens: Int[np.ndarray, " window"]  # without the padding
    text: Int[np.ndarray, " window"]  # the number of the text
    label: Int[np.ndarray, " window"] | None
    """The number of the class; None where nothing is classified."""


def windows_of(
    texts: Sequence[str],
    tokenizer: Any,
    window: int,
    labels: Int[np.ndarray, " text"] | None = None,
) -> Windows:
    """All tokens of all texts, in windows that share none.

    Raises:
        InputError: if special tokens leave no room in a window, or a text has no token.
    """
    cut = cut_windows(texts, tokenizer, window, length_key="key 'window'")
    ids = np.full((len(cut), window), tokenizer.pad_token_id, dtype=np.int64)
    for row, cut_window in zip(ids, cut, strict=True):
        row[: len(cut_window.ids)] = cut_window.ids
    text = np.array([cut_window.text for cut_window in cut], dtype=np.int64)
    n_tokens = np.array([len(cut_window.ids) for cut_window in cut], dtype=np.int64)
    return Windows(ids, n_tokens, text, None if labels is None else labels[text])


def batch_rows(
    n_windows: int, *, batch_size: int, seed: int, first_step: int, n_steps: int
) -> Iterator[Int[np.ndarray, " batch"]]:
    """The windows of the steps from `first_step` on: passes over all windows, in random orders.

    The batch of a step follows only from the seed and the number of the step: training continues
    from any step as if never stopped. A batch may span two passes.
    """
    order: dict[int, Int[np.ndarray, " window"]] = {}
    for step in range(first_step, n_steps):
        places = np.arange(step * batch_size, (step + 1) * batch_size)
        epochs = places // n_windows
        for epoch in np.unique(epochs).tolist():
            if epoch not in order:
                order[epoch] = np.random.default_rng([seed, epoch]).permutation(n_windows)
        order = {epoch: rows for epoch, rows in order.items() if epoch >= epochs[0]}
        yield np.array([order[int(e)][p % n_windows] for e, p in zip(epochs, places, strict=True)])
