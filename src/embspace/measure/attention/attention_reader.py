"""Loads a model with its tokenizer, and the texts that it reads for measures of attention."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Int

from embspace.files.texts import load_texts
from embspace.models.tokenizer import load_tokenizer, tokenizer_files
from embspace.models.tokens.unknown import is_known
from embspace.models.weights import load_model
from embspace.models.windows import Window, cut_windows, largest_window
from embspace.settings.model import Network, VectorsModel


@dataclass(frozen=True, eq=False)
class AttentionReader:
    """A model and its tokenizer."""

    model: Network
    module: Any
    tokenizer: Any


def load_reader(name: str, model: Network | VectorsModel) -> AttentionReader | None:
    """Return a model and its tokenizer; None for a model that reads no text."""
    if isinstance(model, VectorsModel) or not tokenizer_files(model):
        return None
    return AttentionReader(model, load_model(name, model), load_tokenizer(name, model))


def spread_texts(path: str, n_texts: int) -> list[str]:
    """Return `n_texts` texts spread evenly over a file, or all texts if the file has no more."""
    texts = load_texts(path)["text"].astype(str).tolist()
    places = np.linspace(0, len(texts) - 1, min(n_texts, len(texts))).round().astype(int)
    return [texts[place] for place in places]


def first_windows(
    reader: AttentionReader, texts: Sequence[str], most_tokens: int, settings: str
) -> list[Window]:
    """Return the beginning of every text: at most `most_tokens` tokens, special tokens included.

    Raises:
        InputError: if special tokens leave no room; it names the key `most_tokens` of `settings`.
    """
    length = min(most_tokens, largest_window(reader.model, reader.module))
    key = f"{settings}: key 'most_tokens'"
    windows = cut_windows(texts, reader.tokenizer, length, length_key=key)
    return [window for window in windows if window.number == 0]


def known_windows(
    reader: AttentionReader,
    texts: Sequence[str],
    most_tokens: int,
    settings: str,
    *,
    largest_unknown_share: float,
) -> list[Window]:
    """Return `first_windows`, or none if a larger share of the tokens is unknown."""
    windows = first_windows(reader, texts, most_tokens, settings)
    known = is_known(
        windows,
        reader.tokenizer,
        largest_unknown_share=largest_unknown_share,
        texts=f"texts of {settings}",
    )
    return windows if known else []


def padded(windows: Sequence[Window], device: str) -> tuple[Any, Any]:
    """Return tensors (window, token) of ids, filled up on the right, and of a mask of tokens."""
    import torch

    ids: Int[np.ndarray, "window token"]
    ids = np.zeros((len(windows), max(len(window.ids) for window in windows)), np.int64)
    mask = np.zeros_like(ids)
    for row, window in enumerate(windows):
        ids[row, : len(window.ids)] = window.ids
        mask[row, : len(window.ids)] = 1
    return torch.from_numpy(ids).to(device), torch.from_numpy(mask).to(device)
