"""Stage `measure_opposite_words`: the vectors of opposites and synonyms."""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
import pandas as pd
from jaxtyping import Float
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Outcome, Source
from embspace.device import Device, choose_device
from embspace.errors import InputError
from embspace.files.rows import save_rows
from embspace.files.tensors import save_tensors
from embspace.measure.layers.layer_states import window_states
from embspace.measure.open_questions.framed_words import Frames, load_any_tokenizer, single_tokens
from embspace.measure.open_questions.opposite_pairs import PAIRS, PARTS_OF_SPEECH, load_opposites
from embspace.measure.tables.pooled_states import final_norm_of
from embspace.models.weights import load_model, with_random_weights
from embspace.models.windows import cut_windows, token_table
from embspace.settings.stage import run_stage

COLUMNS = ["word", "part_of_speech", "id"]
SETTINGS = "conf/measure/open_questions/opposite_words.yaml"


OPPOSITE_WORDS = Analysis(
    noun="opposite_words",
    question="",
    over="profiled",
    reads={
        "pairs": Source(load_opposites, PAIRS),
        "module": Source(load_model),
        "tokenizer": Source(load_any_tokenizer),
        "final_norm": Source(final_norm_of),
    },
    data={"parquet": save_rows, "safetensors": save_tensors},
    undrawn=["parquet", "safetensors"],
)


def measure_opposite_words(
    pairs: pd.DataFrame,
    module: Any,
    tokenizer: Any,
    final_norm: str | None,
    *,
    frames: dict[str, list[str]],
    most_tokens: PositiveInt,
    tokens_per_batch: Annotated[int, Field(ge=1)],
    device: Device,
    seed: NonNegativeInt,
) -> Outcome:
    """Return the single-token words ("parquet"), and their vectors ("safetensors").

    The words have the columns `COLUMNS`; in every tensor (layer, word, dim), a row is a word.
    `input` has the token embeddings as its only layer, `state` the mean of the word's states over
    the `frames` of its part of speech; `random_input` and `random_state` are the same at random
    weights.

    Raises:
        InputError: if a part of speech of `pairs` has no frame, or a frame not one {word}.
    """
    check_frames(frames, sorted({*pairs["part_of_speech"]}))
    if module is None or tokenizer is None or pairs.empty:
        return {"parquet": pd.DataFrame(columns=COLUMNS), "safetensors": _no_vectors()}
    words = _words_of(pairs)
    texts = [
        frame.format(word=word)
        for word, part in words.itertuples(index=False)
        for frame in frames[part]
    ]
    length_key = f"{SETTINGS}: key 'most_tokens'"
    windows = cut_windows(texts, tokenizer, most_tokens, length_key=length_key)
    rows, ids = single_tokens(words, frames, windows, token_table(windows, tokenizer))
    is_single = ids >= 0
    words = words.assign(id=ids)[is_single].reset_index(drop=True)
    tensors = {}
    for prefix, reading in {"": module, "random_": with_random_weights(module, seed)}.items():
        states = window_states(
            reading, windows, final_norm, tokens_per_batch, choose_device(device)
        )["token"]
        means = [
            states[:, places].mean(axis=1)
            for places, single in zip(rows, is_single, strict=True)
            if single
        ]
        table = reading.get_input_embeddings().weight.detach().float().cpu().numpy()
        tensors[f"{prefix}input"] = table[words["id"].to_numpy(dtype=np.int64)][np.newaxis]
        shape = (len(states), 0, states.shape[2])
        tensors[f"{prefix}state"] = np.stack(means, axis=1) if means else np.empty(shape, "f4")
    return {"parquet": words[COLUMNS], "safetensors": tensors}


def check_frames(frames: Frames, parts: Sequence[str]) -> None:
    """Refuse frames that lack a part of speech, and frames without exactly one place for a word."""
    for part in parts:
        if unknown := sorted({*frames} - {*PARTS_OF_SPEECH}):
            allowed = ", ".join(PARTS_OF_SPEECH)
            raise InputError(f"{SETTINGS}: key 'frames.{unknown[0]}', allowed: {allowed}")
        if not frames.get(part):
            raise InputError(f"{SETTINGS}: key 'frames': no sentence for '{part}', expected one")
    for part, sentences in frames.items():
        for sentence in sentences:
            if sentence.count("{word}") != 1 or {*map(sentence.count, "{}")} != {1}:
                raise InputError(
                    f"{SETTINGS}: key 'frames.{part}': {sentence!r}, allowed: one {{word}}"
                )


def _words_of(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return each word of a part of speech once, in the order of the list."""
    parts = [
        pairs[[column, "part_of_speech"]].rename(columns={column: "word"})
        for column in ("word", "other_word")
    ]
    return pd.concat(parts, ignore_index=True).drop_duplicates(ignore_index=True)


def _no_vectors() -> dict[str, Float[np.ndarray, "layer word dim"]]:
    names = ("input", "state", "random_input", "random_state")
    return dict.fromkeys(names, np.empty((0, 0, 0), np.float32))


main = OPPOSITE_WORDS.main(measure_opposite_words)

if __name__ == "__main__":
    run_stage(main, measure_opposite_words)
