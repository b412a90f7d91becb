"""Holds the stage to planted layers, to the measure of two views, and to what it leaves out."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.clouds.layers import CorpusStates
from embspace.geometry import information_imbalance
from embspace.geometry.inference.imbalance_draws import ImbalanceDraws
from embspace.measure.layers.information_imbalance import (
    COLUMNS,
    _table,
    measure_information_imbalance,
)
from tests.measure.layer_corpora import corpus
from tests.models.stream.tiny import tiny

N = 40
SETTINGS: dict[str, Any] = {
    "left_out": ["skipped"],
    "smallest_n": 20,
    "largest_n": 500,
    "n_neighbors": 1,
    "random_weights_corpora": [],
    "tokens_per_batch": 512,
    "n_half_samples": 20,
    "n_shuffles": 5,
    "level": 0.95,
    "device": "cpu",
    "seed": 0,
}


def planted(n: int = N) -> CorpusStates:
    """Two windows a document; layer 1 is a coarse copy of layer 0, layer 2 is unrelated."""
    rng = np.random.default_rng(0)
    fine = rng.uniform(size=(2 * n, 3))
    mean = np.stack([fine, np.round(2 * fine), rng.uniform(size=(2 * n, 3))])
    cls = np.stack([np.ones((2 * n, 3)), fine, fine[:, ::-1]])
    states = {"mean": mean.astype(np.float32), "cls": cls.astype(np.float32)}
    return CorpusStates(states, np.repeat(np.arange(n), 2), pd.DataFrame({"window": []}))


def table_of(read: CorpusStates, **given: Any) -> pd.DataFrame:
    return measure_information_imbalance(None, None, {"news": read}, **SETTINGS | given)


def value(table: pd.DataFrame, pooling: str, layer: int, other: int) -> "pd.Series[float]":
    rows = table[(table["pooling"] == pooling) & (table["layer"] == layer)]
    return rows[rows["other_layer"] == other].iloc[0]


def test_the_coarser_of_two_layers_is_found() -> None:
    table = table_of(planted(100))
    assert list(table.columns) == COLUMNS
    there, back = value(table, "mean", 0, 1), value(table, "mean", 1, 0)
    assert there["value"] < back["value"]
    assert there["asymmetry_high"] < 0 < back["asymmetry_low"]
    assert value(table, "mean", 0, 2)["low"] < 1 < value(table, "mean", 0, 2)["high"]
    assert (table["null_mean"] - 1).abs().max() < 0.2


def test_a_point_is_a_window_of_each_document() -> None:
    read = planted()
    table = table_of(read)
    assert (table["n"] == N).all()
    assert (table_of(read, largest_n=25)["n"] == 25).all()
    # Windows of a document alike: whichever is taken, the points are the same.
    doubled = {name: np.repeat(x[:, ::2], 2, axis=1) for name, x in read.states.items()}
    found = value(table_of(replace(read, states=doubled)), "mean", 0, 2)["value"]
    x, y = doubled["mean"][0, ::2], doubled["mean"][2, ::2]
    assert found == pytest.approx(information_imbalance(x, y))


def test_a_layer_of_one_vector_has_no_rows_and_no_layer_is_held_against_itself() -> None:
    table = table_of(planted())
    cls, mean = table[table["pooling"] == "cls"], table[table["pooling"] == "mean"]
    assert set(cls["layer"]) == set(cls["other_layer"]) == {1, 2}
    assert len(mean) == 6 and (table["layer"] != table["other_layer"]).all()
    assert value(table, "cls", 1, 2)["value"] == pytest.approx(2 / N)  # coordinates turned round


def test_what_is_left_out_or_small_has_no_row() -> None:
    assert table_of(planted(), smallest_n=N + 1).empty
    found = measure_information_imbalance(None, None, {"skipped": planted()}, **SETTINGS)
    assert found.empty and list(found.columns) == COLUMNS


def test_random_weights_stand_beside_corpora_that_are_named() -> None:
    module = tiny("bert", num_hidden_layers=1)
    read = corpus(20)
    given = SETTINGS | {"random_weights_corpora": ["news"]}
    corpora = {"news": read, "mail": read}
    table = measure_information_imbalance(module, None, corpora, **given)
    is_news = table["corpus"] == "news"
    assert table.loc[is_news, "random_weights_value"].between(0, 2).all()
    assert table.loc[~is_news, "random_weights_value"].isna().all()
    again = measure_information_imbalance(module, None, {"news": read}, **given)
    assert again.equals(table[is_news])


def test_the_seed_draws_windows_and_halves() -> None:
    assert table_of(planted()).equals(table_of(planted()))
    assert not table_of(planted()).equals(table_of(planted(), seed=1))


def test_each_cell_is_that_of_its_layers() -> None:
    place = 10.0 * np.arange(3)[:, None] + np.arange(3)
    names = ["value", "low", "high", "asymmetry", "asymmetry_low", "asymmetry_high"]
    names += ["null_mean", "null_smallest"]
    drawn = ImbalanceDraws(**{name: 100 * number + place for number, name in enumerate(names)})
    table = _table(drawn, 900 + place, [0, 2, 5])
    assert table["layer"].tolist() == [0, 0, 2, 2, 5, 5]
    assert table["other_layer"].tolist() == [2, 5, 0, 5, 0, 2]
    for number, name in enumerate([*names, "random_weights_value"]):
        at = 900 if name == "random_weights_value" else 100 * number
        assert (table[name] - at).tolist() == [1, 2, 10, 12, 20, 21], name
