"""Hidden states of which one knows all: what a token owes to its word, and what to its text."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import yaml

from embspace.clouds.layers import CorpusStates
from embspace.geometry.measures.declaration import Family
from embspace.measure.layers.layer_profiles import LayerProfiles
from embspace.measure.layers.layer_protocol import Protocol
from embspace.settings.stage import settings_path

N_WORDS, LENGTH, OVERLAP = 12, 9, 2
QUICK: dict[str, Any] = {
    "fewest_documents": 8,
    "n_half_samples": 8,
    "n_null_draws": 2,
    "shares": [0.5],
    "n_share_draws": 2,
}
EMPTY = pd.DataFrame(
    columns=["corpus", "space", "change", "layer", "measure", "null", "seed", "n", "value"]
)


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
    of_word, of_text = rng.normal(size=(N_WORDS, dim)), rng.normal(size=(n_documents, dim))
    word = of_word[tokens["id"]] + 0.1 * rng.normal(size=(n_layers, len(tokens), dim)) + 0.5
    text = of_text[document[tokens["window"]]]
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


def protocol(family: Family, **given: Any) -> Protocol:
    """A quick one."""
    settings: dict[str, Any] = {
        "families": (family,),
        "changes": ["as_is", "ordinary_tokens", "standardized"],
        "level": 0.95,
        "tolerance": 0.05,
        "rng": np.random.default_rng(0),
        **{key: value for key, value in QUICK.items() if key != "fewest_documents"},
    }
    return Protocol(**settings | given)


def settings_of(root: Path, noun: str) -> dict[str, Any]:
    """Those of the project, with fewer draws."""
    settings = yaml.safe_load(settings_path("measure", noun, root).read_text())
    assert QUICK.keys() <= settings.keys()
    return {**settings, **QUICK, "seed": 0}


@contextmanager
def processes(n: int) -> Iterator[None]:
    """As many as joblib starts where it may take all cores."""
    with patch.dict(os.environ, LOKY_MAX_CPU_COUNT=str(n)):
        yield


def assert_equal(one: LayerProfiles, other: LayerProfiles) -> None:
    """Whatever the order of rows."""
    for table in ("profiles", "nulls", "curves"):
        found, expected = (
            rows.sort_values(list(rows), ignore_index=True)
            for rows in (getattr(one, table), getattr(other, table))
        )
        pd.testing.assert_frame_equal(found, expected, rtol=1e-12)
