"""States of a model that is not there, of which one layer alone carries the labels."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from embspace.measure.texts.layer_choice import ReadCorpus, ReadTexts, measure_layer_choice
from tests.analyses import settings_of

N, DIM, N_LAYERS, CARRIER = 120, 12, 4, 2
FEW = {"left_out": ["skipped"], "stop_words": None, "n_half_samples": 100}
SETTINGS = settings_of(measure_layer_choice, **FEW, inverse_regularization=0.1)
NONE = pd.DataFrame(columns=["window", "id", "special", "repeated", "start", "end"])


def planted(seed: int = 0, strength: float = 2.0) -> ReadCorpus:
    """Return 120 texts of two labels, and noise but for layer 2, where labels and halves show."""
    rng = np.random.default_rng(seed)
    names, label = [f"t{number}" for number in range(N)], np.arange(N) % 2
    words = rng.choice(["sea", "salt", "bread", "rain", "tide", "cat"], (N, 8))
    texts = pd.DataFrame(
        {
            "id": names,
            "document": names,
            "domain": "",
            "subject": np.where(label, "glad", "sad"),
            "text": [" ".join(line) for line in words],
            "copy_of": names,
        }
    )
    whole = ReadTexts(texts, pd.DataFrame({"text": names}), NONE, _states(rng, label, strength))
    half_texts = texts.loc[texts.index.repeat(2), ["document", "copy_of", "text"]].reset_index(
        drop=True
    )
    half_texts["half"] = np.tile([1, 2], N)
    half_texts["id"] = half_texts["document"] + ".half" + half_texts["half"].astype(str)
    states = _states(rng, np.zeros(2 * N), 0.0)
    shared = np.repeat(rng.normal(size=(N, DIM)), 2, axis=0)
    for vectors in states.values():
        vectors[CARRIER] += shared
    halves = ReadTexts(half_texts, pd.DataFrame({"text": half_texts["id"]}), NONE, states)
    return ReadCorpus(whole, halves)


def with_own_vectors(read: ReadCorpus) -> ReadCorpus:
    """Return the same of a sentence model, whose own vector is the mean of layer 2."""
    parts = (read.whole, read.halves)
    return ReadCorpus(
        *(replace(part, sentences=part.states["mean"][CARRIER].copy()) for part in parts)
    )


def planted_table(**changes: Any) -> pd.DataFrame:
    """Return what the stage makes of it."""
    settings = SETTINGS | changes
    return measure_layer_choice(None, None, {"planted": planted()}, **settings)["csv"]


def _states(rng: np.random.Generator, label: np.ndarray, strength: float) -> dict[str, np.ndarray]:
    states = {}
    for pooling in ("cls", "mean", "max"):
        x = rng.normal(size=(N_LAYERS, len(label), DIM))
        x[CARRIER, :, 0] += strength * (2 * label - 1)
        states[pooling] = x.astype(np.float32)
    return states
