"""States of the same texts in two models: how far they moved, beside other texts."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.compare.model_changes_states import state_rows
from embspace.compare.model_states import CorpusStates, ModelStates

N, DIM = 60, 8
NAMES = [f"t{number}" for number in range(N)]
TEXTS = pd.DataFrame({"id": NAMES, "document": NAMES, "text": "words"})
SETTINGS: dict[str, Any] = {
    "smallest_n": 20,
    "largest_n": 500,
    "n_half_samples": 50,
    "level": 0.95,
    "seed": 0,
}


def model(states: np.ndarray) -> ModelStates:
    windows = pd.DataFrame({"text": NAMES, "n_tokens": 1})
    return ModelStates({"news": CorpusStates(windows, pd.DataFrame(), {"mean": states})}, {})


def drawn(seed: int, *, shift: float = 0.0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(3, N, DIM)) + shift


def rows(one: np.ndarray, other: np.ndarray, **given: Any) -> pd.DataFrame:
    records = state_rows({"news": TEXTS}, (model(one), model(other)), **SETTINGS | given)
    return pd.DataFrame(records)


def test_equal_states_have_cosine_one_whatever_texts_have_in_common() -> None:
    states = drawn(0, shift=3)
    table = rows(states, 2 * states)
    assert table["layer"].tolist() == [0, 1, 2]
    assert table["cosine"].tolist() == pytest.approx([1, 1, 1])
    assert (table["cosine_high"] <= 1).all() and (table["n"] == N).all()
    assert (table["other_cosine"] > 0.8).all()


def test_the_layer_that_moved_is_told_with_an_interval() -> None:
    one = drawn(0)
    other = one.copy()
    other[2] += drawn(1)[2]
    table = rows(one, other)
    assert table["cosine"][:2].tolist() == pytest.approx([1, 1])
    assert table["cosine"][2] == pytest.approx(np.sqrt(0.5), abs=0.1)
    assert table["cosine_low"][2] < table["cosine"][2] < table["cosine_high"][2]
    assert table["other_cosine"].abs().max() < 0.05


def test_the_cosine_of_others_is_that_of_all_pairs() -> None:
    one, other = drawn(0, shift=1), drawn(1, shift=1)
    unit, other_unit = (x / np.linalg.norm(x, axis=-1, keepdims=True) for x in (one, other))
    products = unit[1] @ other_unit[1].T
    expected = products[~np.eye(N, dtype=bool)].mean()
    assert rows(one, other)["other_cosine"][1] == pytest.approx(expected)


def test_few_texts_and_other_shapes_say_nothing() -> None:
    states = drawn(0)
    assert rows(states, states, smallest_n=N + 1).empty
    assert rows(states, states[:2]).empty
    assert rows(states, states[..., :5]).empty
