"""Reads words in parts of texts anew: states of chosen tokens, and words in others' places."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.models.encoder import batches_by_length, encode
from embspace.models.windows import Window


class Reading(NamedTuple):
    """How a module reads tokens."""

    final_norm: str | None
    tokens_per_batch: int
    device: str


class Place(NamedTuple):
    """A token of a window."""

    window: Window
    position: int


def states_at(
    module: Any, places: Sequence[Place], reading: Reading
) -> Float[np.ndarray, "layer place dim"]:
    """Return the states of a single token per window, layer 0 being the embedding output."""
    windows = [place.window for place in places]
    lengths = [len(window.ids) for window in windows]
    batches = batches_by_length(lengths, reading.tokens_per_batch)
    states: list[np.ndarray | None] = [None] * len(places)
    for encoded in encode(module, windows, batches, reading.device, reading.final_norm):
        states[encoded.index] = encoded.tokens[:, places[encoded.index].position].copy()
    return np.stack([state for state in states if state is not None], axis=1)


def parts_with(
    tokens: pd.DataFrame, rows: Int[np.ndarray, " row"], token: int, n_around: int
) -> Iterator[Place]:
    """Yield the part of a text around each row, with `token` in the place of the row.

    A part has `n_around` tokens at most on either side, and the window's first and last token if
    they are special, as the model knows no text without special tokens.
    """
    starts = np.flatnonzero(tokens["position"].to_numpy() == 0)
    ends = np.append(starts[1:], len(tokens))
    for row in rows:
        window = np.searchsorted(starts, row, side="right") - 1
        first, last = int(starts[window]), int(ends[window]) - 1
        around = np.arange(max(first, row - n_around), min(last, row + n_around) + 1)
        edges = [edge for edge in (first, last) if tokens["special"].iat[edge]]
        kept = np.union1d(around, np.array(edges, dtype=np.int64))
        part = tokens.iloc[kept]
        place = int(np.searchsorted(kept, row))
        ids = part["id"].to_numpy().copy()
        ids[place] = token
        columns = (part[name].to_numpy() for name in ("special", "repeated", "start", "end"))
        yield Place(Window(0, 0, ids, *columns), place)
