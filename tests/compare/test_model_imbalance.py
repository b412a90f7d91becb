"""Holds the stage to a pair of which one model is the coarser copy of the other."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.compare.model_imbalance import compare_model_imbalance
from embspace.compare.model_states import STIMULI, CorpusStates, ModelStates
from tests.analyses import settings_of

FEW = {"largest_n": 500, "n_shuffles": 5}
N = 80
NAMES = [f"t{number}" for number in range(N)]
TEXTS = pd.DataFrame({"id": NAMES, "document": NAMES, "text": "words"})
SENTENCES = {
    name: pd.DataFrame({"text": [f"{name} {number}" for number in range(10)]}) for name in STIMULI
}


def model(layers: list[np.ndarray], seed: int = 0) -> ModelStates:
    """Hidden states of the texts as they are given, and of stimuli at random."""
    rng = np.random.default_rng(seed)
    windows = pd.DataFrame({"text": NAMES, "n_tokens": 1})
    kinds = ("mean", "random_mean")
    stimuli = {
        name: {kind: rng.normal(size=(len(layers), 10, 4)) for kind in kinds} for name in STIMULI
    }
    read = CorpusStates(windows, pd.DataFrame(), {"mean": np.stack(layers)})
    return ModelStates({"news": read}, stimuli)


def pair() -> tuple[ModelStates, ModelStates]:
    """Layer 1 of the first is fine, layer 0 of the other its coarse copy, all else unrelated."""
    rng = np.random.default_rng(5)
    fine, *noise = rng.uniform(size=(4, N, 3))
    return model([noise[0], fine]), model([np.round(2 * fine), noise[1], noise[2]], seed=1)


def inputs(*, is_empty: bool = False) -> dict[str, Any]:
    """Return the pair, or, if empty, without texts and stimuli."""
    states, other_states = pair()
    texts, stimuli = ({}, {}) if is_empty else ({"news": TEXTS}, SENTENCES)
    return {"texts": texts, "stimuli": stimuli, "states": states, "other_states": other_states}


def table_of(pair: tuple[ModelStates, ModelStates], **change: Any) -> pd.DataFrame:
    both = {"states": pair[0], "other_states": pair[1]}
    settings = settings_of(compare_model_imbalance, **{"n_half_samples": 20, **FEW, **change})
    return compare_model_imbalance(**inputs() | both, **settings)["csv"]


def row(table: pd.DataFrame, layer: int, other: int) -> "pd.Series[float]":
    rows = table[(table["corpus"] == "news") & (table["layer"] == layer)]
    return rows[rows["other_layer"] == other].iloc[0]


def test_the_model_that_is_the_coarser_copy_is_found() -> None:
    table = table_of(pair())
    copy, unrelated = row(table, 1, 0), row(table, 0, 1)
    assert copy["to_other"] < copy["from_other"] and copy["asymmetry_high"] < 0
    assert copy["asymmetry"] == pytest.approx(copy["to_other"] - copy["from_other"])
    assert unrelated["to_other_low"] < 1 < unrelated["to_other_high"]
    assert len(table[table["corpus"] == "news"]) == 6


def test_models_that_change_places_change_directions() -> None:
    one, other = pair()
    table, turned = table_of((one, other)), table_of((other, one))
    assert row(table, 1, 0)["to_other"] == pytest.approx(row(turned, 0, 1)["from_other"])
    assert row(table, 1, 0)["asymmetry"] == pytest.approx(-row(turned, 0, 1)["asymmetry"])


def test_stimuli_alone_stand_beside_random_weights_and_have_no_interval() -> None:
    table = table_of(pair())
    stimuli = table["corpus"] == "stimuli"
    names = ["random_weights_to_other", "random_weights_from_other"]
    assert table.loc[stimuli, names].notna().all(axis=None)
    assert table.loc[~stimuli, names].isna().all(axis=None)
    assert table.loc[stimuli, ["to_other_low", "asymmetry_high"]].isna().all(axis=None)


def test_the_same_random_weights_say_nothing() -> None:
    one = model([np.random.default_rng(0).normal(size=(N, 3))])
    table = table_of((one, one))
    assert table["random_weights_to_other"].isna().all()
    same = table[table["corpus"] == "news"]
    assert same["to_other"].to_numpy() == pytest.approx(2 / N)
    assert (same["asymmetry"] == 0).all()


def test_fewer_texts_than_the_smallest_number_are_not_compared() -> None:
    assert table_of(pair(), smallest_n=N + 1).empty
    assert (row(table_of(pair(), largest_n=30), 0, 0)["n"]) == 30
