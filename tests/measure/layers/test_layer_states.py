"""Holds the states of all windows to those of each alone, whatever the batches."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.measure.layers.layer_states import token_states, window_states
from embspace.models.windows import Window
from tests.lazy import torch, transformers

LENGTHS = [5, 2, 7, 3, 5]


@pytest.fixture(scope="module")
def bert() -> Any:
    torch.manual_seed(0)
    sizes = {"hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = transformers.BertConfig(
        **sizes, vocab_size=30, intermediate_size=16, max_position_embeddings=16
    )
    return transformers.BertModel(config).eval()


def windows() -> list[Window]:
    rng = np.random.default_rng(0)
    return [
        Window(
            number,
            0,
            rng.integers(1, 30, size=n),
            np.zeros(n, dtype=bool),
            np.zeros(n, dtype=bool),
            np.arange(n),
            np.arange(n) + 1,
        )
        for number, n in enumerate(LENGTHS)
    ]


@pytest.mark.parametrize("tokens_per_batch", [7, 4096])
def test_states_are_those_of_each_window_in_order(bert: Any, tokens_per_batch: int) -> None:
    states = window_states(bert, windows(), None, tokens_per_batch, "cpu")
    assert {kind: vectors.shape for kind, vectors in states.items()} == {
        "token": (3, 22, 8),
        "cls": (3, 5, 8),
        "mean": (3, 5, 8),
        "max": (3, 5, 8),
        "last": (3, 5, 8),
        "weightedmean": (3, 5, 8),
    }
    first = 0
    for number, window in enumerate(windows()):
        with torch.inference_mode():
            ids = torch.from_numpy(window.ids)[None]
            alone = torch.stack(bert(ids, output_hidden_states=True).hidden_states)[:, 0].numpy()
        rows = slice(first, first + len(window.ids))
        assert states["token"][:, rows] == pytest.approx(alone, abs=1e-6)
        assert states["cls"][:, number] == pytest.approx(alone[:, 0], abs=1e-6)
        assert states["mean"][:, number] == pytest.approx(alone.mean(axis=1), abs=1e-6)
        assert states["max"][:, number] == pytest.approx(alone.max(axis=1), abs=1e-6)
        first = rows.stop


def test_no_window_has_no_states(bert: Any) -> None:
    assert window_states(bert, [], None, 4096, "cpu") == {}


@pytest.mark.parametrize("tokens_per_batch", [7, 4096])
def test_states_of_some_tokens_are_those_of_all(bert: Any, tokens_per_batch: int) -> None:
    parts = [
        pd.DataFrame(
            {"window": 3 * number, "id": window.ids, "special": False, "repeated": False}
            | {"start": window.start, "end": window.end}
        )
        for number, window in enumerate(windows())
    ]
    tokens = pd.concat(parts, ignore_index=True)
    rows = np.array([0, 3, 8, 9, 20])  # of windows 0, 2 and 4 alone
    chosen = token_states(bert, tokens, rows, None, tokens_per_batch, "cpu")
    everything = window_states(bert, windows(), None, 4096, "cpu")["token"]
    assert chosen == pytest.approx(everything[:, rows], abs=1e-6)
