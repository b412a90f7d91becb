"""Hidden states of which one knows all: what a token owes to its word, and what to its text."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

from embspace.analysis import Outcome
from embspace.clouds.layers import CorpusStates, LayerCloud, layer_clouds
from embspace.geometry.measures.declaration import Family
from embspace.measure.layers.layer_protocol import Protocol

N_WORDS, LENGTH, OVERLAP = 12, 9, 2
DRAWS: dict[str, Any] = {
    "n_half_samples": 8,
    "level": 0.95,
    "tolerance": 0.05,
    "n_null_draws": 2,
    "shares": [0.5],
    "n_share_draws": 2,
}
FEW: dict[str, Any] = {"fewest_documents": 8, "draws": DRAWS}
# Values that halves, draws of nulls and draws of fewer texts decide.
DECIDED_BY_SEED = ("standard_error", "of_half", "converged", "n", "mean", "smallest", "largest")
EMPTY = pd.DataFrame(
    columns=["corpus", "space", "change", "layer", "measure", "null", "seed", "n", "value"]
)


def random_weights(measure: str) -> pd.DataFrame:
    """Return values of a measure of two models with random weights, at the layer 1 of "many"."""
    place = {"corpus": "many", "space": "token", "change": "as_is", "layer": 1, "measure": measure}
    drawn = {"null": "shuffled_entries", "n": 9, "value": 0.25}
    return pd.DataFrame([{**place, **drawn, "seed": seed} for seed in (0, 1)])


def token_table(n_windows: int, rng: np.random.Generator) -> pd.DataFrame:
    """Two windows a document: the second repeats two tokens of the first."""
    window = np.repeat(np.arange(n_windows), LENGTH)
    position = np.tile(np.arange(LENGTH), n_windows)
    special = (position == 0) | (position == LENGTH - 1)
    word = 2 + rng.integers(N_WORDS - 2, size=len(window))
    return pd.DataFrame(
        {
            "window": window,
            "position": position,
            "id": np.where(special, position // (LENGTH - 1), word),
            "special": special,
            "repeated": (window % 2 == 1) & (position > 0) & (position <= OVERLAP),
            "start": position,
            "end": position + 1,
        }
    )


def corpus(
    n_documents: int, *, seed: int = 0, dim: int = 6, n_layers: int = 2, with_tokens: bool = True
) -> CorpusStates:
    """Layer 0 is of the word alone, but for little noise; later layers are of the text too."""
    rng = np.random.default_rng(seed)
    document = np.repeat(np.arange(n_documents), 2)
    tokens = token_table(len(document), rng)
    word_centers, text_centers = (
        rng.normal(size=(N_WORDS, dim)),
        rng.normal(size=(n_documents, dim)),
    )
    word = word_centers[tokens["id"]] + 0.1 * rng.normal(size=(n_layers, len(tokens), dim)) + 0.5
    text = text_centers[document[tokens["window"]]]
    token = (word + np.arange(n_layers)[:, None, None] * text).astype(np.float32)
    windows = token.reshape(n_layers, -1, LENGTH, dim)
    states = {"cls": windows[:, :, 0], "mean": windows.mean(axis=2)}
    return CorpusStates(states | ({"token": token} if with_tokens else {}), document, tokens)


def three_corpora() -> dict[str, CorpusStates]:
    """One as large as one likes, one without states of tokens, one too small."""
    return {
        "few": corpus(3, seed=1),
        "many": corpus(12),
        "pooled": corpus(9, seed=2, with_tokens=False),
    }


def vectors(name: str, *, layer: int) -> LayerCloud:
    """Return the unchanged tokens of one of `three_corpora` at a layer."""
    [cloud] = layer_clouds(three_corpora()[name], layer, ["as_is"], n_top=0, spaces=["token"])
    return cloud[2]


def protocol(family: Family, **given: Any) -> Protocol:
    """A quick one."""
    settings: dict[str, Any] = {
        "families": (family,),
        "changes": ["as_is", "ordinary_tokens", "standardized"],
        "rng": np.random.default_rng(0),
        **DRAWS,
    }
    return Protocol(**settings | given)


@contextmanager
def processes(n: int) -> Iterator[None]:
    """As many as joblib starts where it may take all cores."""
    with patch.dict(os.environ, LOKY_MAX_CPU_COUNT=str(n)):
        yield


def assert_equal(one: Outcome, other: Outcome) -> None:
    """Whatever the order of rows."""
    for table in ("profiles", "nulls", "curves"):
        frame, expected = (
            rows.sort_values(list(rows), ignore_index=True) for rows in (one[table], other[table])
        )
        pd.testing.assert_frame_equal(frame, expected, rtol=1e-12)
