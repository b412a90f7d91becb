"""Reads words in frame sentences: token embeddings, states of the word, states of the sentence."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.errors import InputError
from embspace.measure.layers.layer_states import window_states
from embspace.models.tokenizer import load_tokenizer, tokenizer_files
from embspace.models.weights import with_random_weights
from embspace.models.windows import Window, cut_windows, token_table
from embspace.settings.model import Model

Frames = Mapping[str, Sequence[str]]
"""Sentences by part of speech, with one {word} per sentence."""
ALL = ""  # the part of speech of words that share their frames
VECTORS = ("input", "state", "sentence")
ByLayer = dict[str, Float[np.ndarray, "layer word dim"]]


def load_any_tokenizer(name: str, model: Model) -> Any:
    """Return the tokenizer of a model; None for a model without one."""
    return load_tokenizer(name, model) if tokenizer_files(model) else None


def vectors_in_frames(
    words: Sequence[str],
    frames: Sequence[str],
    module: Any,
    tokenizer: Any,
    final_norm: str | None,
    *,
    most_tokens: int,
    length_key: str,
    tokens_per_batch: int,
    device: str,
    seed: int,
) -> tuple[list[str], dict[str, ByLayer]]:
    """Return the single-token words, and their `VECTORS`, trained and at `random` weights.

    `input` has the token embeddings as its only layer. `state` is the mean of the word's states
    over the frames, `sentence` the mean of the sentences' mean states.
    """
    texts = [frame.format(word=word) for word in words for frame in frames]
    windows = cut_windows(texts, tokenizer, most_tokens, length_key=length_key)
    if len(windows) != len(texts):
        raise InputError(f"{length_key}: {most_tokens}, allowed: as many as a sentence has")
    table = pd.DataFrame({"word": words, "part_of_speech": ALL})
    rows, ids = single_tokens(table, {ALL: frames}, windows, token_table(windows, tokenizer))
    single = np.flatnonzero(ids >= 0)
    known = [word for word, number in zip(words, ids, strict=True) if number >= 0]
    places = np.array([rows[word] for word in single], dtype=np.int64).reshape(-1, len(frames))
    sentences = single[:, np.newaxis] * len(frames) + np.arange(len(frames))
    made = {}
    for name, reading in {"trained": module, "random": with_random_weights(module, seed)}.items():
        states = window_states(reading, windows, final_norm, tokens_per_batch, device)
        weights = reading.get_input_embeddings().weight.detach().float().cpu().numpy()
        made[name] = {
            "input": weights[ids[single]][np.newaxis],
            "state": states["token"][:, places].mean(axis=2),
            "sentence": states["mean"][:, sentences].mean(axis=2),
        }
    return known, made


def single_tokens(
    words: pd.DataFrame, frames: Frames, windows: Sequence[Window], tokens: pd.DataFrame
) -> tuple[list[list[int]], Int[np.ndarray, " word"]]:
    """Return every word's rows in the table of tokens, and the word's id; -1 for several tokens.

    A word counts if the same single token has all of its characters in every sentence.
    """
    text = np.array([window.text for window in windows])[tokens["window"]]
    starts = np.searchsorted(text, np.arange(text.max() + 2))
    first, last, ids = (tokens[name].to_numpy() for name in ("start", "end", "id"))
    rows: list[list[int]] = []
    token_ids = np.full(len(words), -1)
    number = 0
    for place, (word, part) in enumerate(words.itertuples(index=False)):
        chosen: list[int] = []
        for frame in frames[part]:
            begin = frame.index("{word}")
            here = np.arange(starts[number], starts[number + 1])
            inside = here[(first[here] < begin + len(word)) & (last[here] > begin)]
            chosen += inside.tolist()
            number += 1
        rows.append(chosen)
        if len(chosen) == len(frames[part]) and len({*ids[chosen].tolist()}) == 1:
            token_ids[place] = ids[chosen[0]]
    return rows, token_ids
