from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from embspace.geometry.inference.resampling import Interval
from embspace.measure.blocks import layer_roles
from embspace.measure.blocks.layer_roles import measure_layer_roles, rank_correlations
from embspace.measure.blocks.layer_roles_statistics import STATISTICS, WORDS
from embspace.measure.tables.columns import BESIDE_RANDOM_WEIGHTS
from tests.analyses import settings_of
from tests.measure.layer_corpora import LENGTH, corpus
from tests.models.stream.tiny import tiny

FEW = {"n_texts": 8, "n_random_weights": 2, "n_orders": 500}
DECIDED_BY_SEED = [*BESIDE_RANDOM_WEIGHTS][3:]
CORPORA = {"posts": corpus(12)}
Tables = dict[str, pd.DataFrame]


def inputs(*, is_empty: bool) -> dict[str, Any]:
    return {"module": None if is_empty else tiny("bert"), "corpora": CORPORA}


def measured(**changed: Any) -> Tables:
    few = FEW | {"n_half_samples": 20, "expected_signs": dict.fromkeys(STATISTICS, "+"), "seed": 3}
    return measure_layer_roles(
        **inputs(is_empty=False), **settings_of(measure_layer_roles, **few | changed)
    )


def planted(slopes: dict[str, float]) -> Tables:
    """The verdicts on a model of 8 layers whose statistics go so with depth, or nowhere."""
    depth = np.arange(8.0)[:, None]
    slope = np.array([slopes.get(statistic, 0.0) for statistic in STATISTICS])
    rng = np.random.default_rng(0)
    trained = slope * depth + 0.01 * rng.normal(size=(8, 8, len(STATISTICS)))
    random = [rng.normal(size=trained.shape) for _ in range(2)]
    with patch.object(layer_roles, "layer_statistics", side_effect=[trained, *random]):
        return measured()


def test_tables_have_a_row_a_place():
    layers, claims = measured().values()
    assert not layers.duplicated(["layer", "statistic"]).any()
    assert len(layers) == 3 * len(STATISTICS)
    assert claims["statistic"].tolist() == list(WORDS.values())
    assert (layers["n_tokens"] == 8 * LENGTH).all()
    assert set(claims["n_blocks"]) == {3}
    # Of 3 layers, one order in three has a correlation of 1 or -1.
    assert (claims["verdict"] != "matches").all()


def test_planted_trends_are_found():
    planted_claims = planted({"row_entropy": 1.0, "self_mass": -1.0})["claims"]
    claims = planted_claims.set_index("statistic")
    rises, falls = claims.loc[WORDS["row_entropy"]], claims.loc[WORDS["self_mass"]]
    assert (rises["value"], rises["verdict"]) == (1.0, "matches")
    assert (falls["value"], falls["verdict"]) == (-1.0, "differs")
    assert rises["p_value"] < 0.05
    assert (claims["low"] <= claims["high"]).all()
    assert claims["low"].min() >= -1
    assert claims["high"].max() <= 1
    flat = claims.drop([WORDS["row_entropy"], WORDS["self_mass"]])
    assert (flat["verdict"] != "matches").all()


def test_layers_count_from_1_as_blocks_do():
    rows = planted({"row_entropy": 1.0})["csv"].set_index("statistic").loc["row_entropy"]
    assert rows["layer"].tolist() == list(range(1, 9))
    assert rows["value"].to_numpy() == pytest.approx(np.arange(8.0), abs=0.02)  # what is planted


def test_correlations_are_scipy_s():
    means = np.random.default_rng(0).normal(size=(9, 4))
    means[3] = means[2]
    expected = [stats.spearmanr(np.arange(9), column).statistic for column in means.T]
    assert rank_correlations(means) == pytest.approx(expected)
    assert np.isnan(rank_correlations(np.ones((5, 1)))).all()
    assert np.isnan(rank_correlations(np.ones((1, 2)))).all()


def test_statistics_without_a_sign_are_not_judged():
    layers, claims = measured(expected_signs={"row_entropy": "either"}).values()
    assert claims["statistic"].tolist() == ["row entropy"]
    assert set(layers["statistic"]) == set(STATISTICS)


def test_without_texts_tables_are_empty():
    tables = measure_layer_roles(tiny("bert"), {}, **settings_of(measure_layer_roles))
    assert all(table.empty for table in tables.values())


def test_every_number_of_the_tables():
    """Of three blocks statistic number s is (s + 1) times the layer; random weights turn it."""
    size = np.arange(1.0, len(STATISTICS) + 1)
    trained = np.tile(np.arange(1.0, 4)[:, None] * size, (8, 1, 1))
    random = [-trained, 3 * trained]
    with patch.object(layer_roles, "layer_statistics", side_effect=[trained, *random]):
        signs = {"cosine_with_input": "+", "value_entropy": "-"}
        layers, claims = measured(expected_signs=signs).values()
    expected = np.array([[layer * number for number in size] for layer in (1, 2, 3)]).ravel()
    for column in ("value", "low", "high", "random_weights_mean"):
        assert layers[column].to_numpy() == pytest.approx(expected)
    assert layers["random_weights_smallest"].to_numpy() == pytest.approx(-expected)
    assert layers["random_weights_largest"].to_numpy() == pytest.approx(3 * expected)
    assert (layers["n_texts"] == 8).all() and (layers["corpus"] == "posts").all()
    assert claims["claim"].tolist() == [layer_roles.FORWARD, layer_roles.CHOICES]
    assert claims["expected_sign"].tolist() == ["+", "-"]
    numbers = ["value", "low", "high", "random_weights_mean", "random_weights_smallest"]
    numbers += ["random_weights_largest"]
    assert claims[numbers].to_numpy() == pytest.approx(np.array([[1, 1, 1, 0, -1, 1]] * 2))
    assert (claims["n_texts"] == 8).all() and (claims["n_blocks"] == 3).all()
    # Two of the six orders of three layers rise or fall all the way.
    assert claims["p_value"].to_numpy() == pytest.approx(1 / 3, abs=0.07)


def test_two_layers_rise_or_fall():
    assert rank_correlations(np.array([[1.0, 5, 2], [2, 3, 2]])) == pytest.approx(
        [1, -1, np.nan], nan_ok=True
    )


def test_bounds_end_where_correlations_do():
    trained = np.random.default_rng(0).normal(size=(8, 8, len(STATISTICS)))
    beyond = np.full(len(STATISTICS), 1.3)
    bounds = Interval(-beyond, beyond, np.zeros((0, len(STATISTICS))))
    claims = layer_roles._claims(trained, bounds, [trained], np.linspace(-1, 1, 99))
    assert {row["low"] for row in claims.values()} == {-1.0}
    assert {row["high"] for row in claims.values()} == {1.0}
