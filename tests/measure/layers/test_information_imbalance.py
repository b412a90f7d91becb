"""Holds the stage to planted layers, to the measure of two views, and to what it leaves out."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.clouds.layers import CorpusStates
from embspace.geometry import information_imbalance
from embspace.geometry.inference.imbalance_draws import ImbalanceDraws
from embspace.measure.layers.information_imbalance import _table, measure_information_imbalance
from tests.analyses import settings_of
from tests.measure.layer_corpora import corpus
from tests.models.stream.tiny import tiny

N = 40
# Windows are drawn.
DECIDED_BY_SEED = ("value", "asymmetry")


def planted(n: int = N) -> CorpusStates:
    """Two windows a document; layer 1 is a coarse copy of layer 0, layer 2 is unrelated."""
    rng = np.random.default_rng(0)
    fine = rng.uniform(size=(2 * n, 3))
    mean = np.stack([fine, np.round(2 * fine), rng.uniform(size=(2 * n, 3))])
    cls = np.stack([np.ones((2 * n, 3)), fine, fine[:, ::-1]])
    states = {"mean": mean.astype(np.float32), "cls": cls.astype(np.float32)}
    return CorpusStates(states, np.repeat(np.arange(n), 2), pd.DataFrame({"window": []}))


def inputs(*, is_empty: bool) -> dict[str, Any]:
    corpora = {} if is_empty else {"news": planted()}
    return {"module": None, "final_norm": None, "corpora": corpora}


def measured(module: Any, corpora: dict[str, CorpusStates], **change: Any) -> pd.DataFrame:
    settings = settings_of(measure_information_imbalance, **{"n_shuffles": 5} | change)
    return measure_information_imbalance(module, None, corpora, **settings)["csv"]


def table_of(read: CorpusStates, **change: Any) -> pd.DataFrame:
    return measured(None, {"news": read}, **change)


def value(table: pd.DataFrame, pooling: str, layer: int, other: int) -> "pd.Series[float]":
    rows = table[(table["pooling"] == pooling) & (table["layer"] == layer)]
    return rows[rows["other_layer"] == other].iloc[0]


def test_the_coarser_of_two_layers_is_found() -> None:
    table = table_of(planted(100))
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
    there = value(table_of(replace(read, states=doubled)), "mean", 0, 2)["value"]
    x, y = doubled["mean"][0, ::2], doubled["mean"][2, ::2]
    assert there == pytest.approx(information_imbalance(x, y))


def test_a_layer_of_one_vector_has_no_rows_and_no_layer_is_held_against_itself() -> None:
    table = table_of(planted())
    cls, mean = table[table["pooling"] == "cls"], table[table["pooling"] == "mean"]
    assert set(cls["layer"]) == set(cls["other_layer"]) == {1, 2}
    assert len(mean) == 6 and (table["layer"] != table["other_layer"]).all()
    assert value(table, "cls", 1, 2)["value"] == pytest.approx(2 / N)  # coordinates turned round


def test_what_is_left_out_or_small_has_no_row() -> None:
    assert table_of(planted(), smallest_n=N + 1).empty
    assert measured(None, {"skipped": planted()}, left_out=["skipped"]).empty


def test_random_weights_stand_beside_corpora_that_are_named() -> None:
    module = tiny("bert", num_hidden_layers=1)
    read = corpus(20)
    change = {"random_weights_corpora": ["news"], "largest_n": 500}
    table = measured(module, {"news": read, "mail": read}, **change)
    is_news = table["corpus"] == "news"
    assert table.loc[is_news, "random_weights_value"].between(0, 2).all()
    assert table.loc[~is_news, "random_weights_value"].isna().all()
    assert measured(module, {"news": read}, **change).equals(table[is_news])


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
