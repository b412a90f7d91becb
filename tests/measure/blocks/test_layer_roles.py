from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from embspace.measure.blocks import layer_roles
from embspace.measure.blocks.layer_roles import (
    CLAIM_COLUMNS,
    COLUMNS,
    LayerRoles,
    measure_layer_roles,
    rank_correlations,
)
from embspace.measure.blocks.layer_roles_statistics import STATISTICS, WORDS
from tests.measure.layer_corpora import LENGTH, corpus
from tests.models.stream.tiny import tiny

SETTINGS: dict[str, Any] = {
    "corpus": "posts",
    "n_texts": 8,
    "n_random_weights": 2,
    "tokens_per_batch": 40,
    "n_half_samples": 20,
    "level": 0.9,
    "n_orders": 500,
    "largest_p_value": 0.05,
    "expected_signs": dict.fromkeys(STATISTICS, "+"),
    "device": "cpu",
    "seed": 3,
}
CORPORA = {"posts": corpus(12)}


def measured(**changed: Any) -> LayerRoles:
    return measure_layer_roles(tiny("bert"), CORPORA, **SETTINGS | changed)


def planted(slopes: dict[str, float]) -> LayerRoles:
    """The verdicts on a model of 8 layers whose statistics go so with depth, or nowhere."""
    depth = np.arange(8.0)[:, None]
    slope = np.array([slopes.get(each, 0.0) for each in STATISTICS])
    rng = np.random.default_rng(0)
    trained = slope * depth + 0.01 * rng.normal(size=(8, 8, len(STATISTICS)))
    random = [rng.normal(size=trained.shape) for _ in range(2)]
    with patch.object(layer_roles, "layer_statistics", side_effect=[trained, *random]):
        return measured()


def test_tables_have_a_row_a_place():
    found = measured()
    assert list(found.layers) == COLUMNS
    assert list(found.claims) == CLAIM_COLUMNS
    assert not found.layers.duplicated(["layer", "statistic"]).any()
    assert len(found.layers) == 3 * len(STATISTICS)
    assert found.claims["statistic"].tolist() == list(WORDS.values())
    assert (found.layers["n_tokens"] == 8 * LENGTH).all()
    assert set(found.claims["n_blocks"]) == {3}
    # Of 3 layers, one order in three has a correlation of 1 or -1.
    assert (found.claims["verdict"] != "matches").all()


def test_planted_trends_are_found():
    found = planted({"row_entropy": 1.0, "self_mass": -1.0}).claims.set_index("statistic")
    rises, falls = found.loc[WORDS["row_entropy"]], found.loc[WORDS["self_mass"]]
    assert (rises["value"], rises["verdict"]) == (1.0, "matches")
    assert (falls["value"], falls["verdict"]) == (-1.0, "differs")
    assert rises["p_value"] < 0.05
    assert (found["low"] <= found["high"]).all()
    assert found["low"].min() >= -1
    assert found["high"].max() <= 1
    flat = found.drop([WORDS["row_entropy"], WORDS["self_mass"]])
    assert (flat["verdict"] != "matches").all()


def test_layers_count_from_1_as_blocks_do():
    rows = planted({"row_entropy": 1.0}).layers.set_index("statistic").loc["row_entropy"]
    assert rows["layer"].tolist() == list(range(1, 9))
    assert rows["value"].to_numpy() == pytest.approx(np.arange(8.0), abs=0.02)  # what is planted


def test_correlations_are_scipy_s():
    means = np.random.default_rng(0).normal(size=(9, 4))
    means[3] = means[2]
    expected = [stats.spearmanr(np.arange(9), column).statistic for column in means.T]
    assert rank_correlations(means) == pytest.approx(expected)
    assert np.isnan(rank_correlations(np.ones((5, 1)))).all()
    assert np.isnan(rank_correlations(np.ones((1, 2)))).all()


def test_the_same_seed_gives_the_same_tables():
    for one, other in zip(vars(measured()).values(), vars(measured()).values(), strict=True):
        pd.testing.assert_frame_equal(one, other)


def test_statistics_without_a_sign_are_not_judged():
    found = measured(expected_signs={"row_entropy": "either"})
    assert found.claims["statistic"].tolist() == ["row entropy"]
    assert set(found.layers["statistic"]) == set(STATISTICS)


@pytest.mark.parametrize("module", [None, "bert"])
def test_without_texts_or_a_known_architecture_tables_are_empty(module: str | None):
    corpora = CORPORA if module is None else {}
    found = measure_layer_roles(module and tiny(module), corpora, **SETTINGS)
    assert list(found.layers) == COLUMNS
    assert list(found.claims) == CLAIM_COLUMNS
    assert not len(found.layers)
    assert not len(found.claims)


def test_every_number_of_the_tables():
    """Of three blocks statistic number s is (s + 1) times the layer; random weights turn it."""
    size = np.arange(1.0, len(STATISTICS) + 1)
    trained = np.tile(np.arange(1.0, 4)[:, None] * size, (8, 1, 1))
    random = [-trained, 3 * trained]
    with patch.object(layer_roles, "layer_statistics", side_effect=[trained, *random]):
        found = measured(expected_signs={"cosine_with_input": "+", "value_entropy": "-"})
    expected = np.array([[layer * number for number in size] for layer in (1, 2, 3)]).ravel()
    for column in ("value", "low", "high", "random_weights_mean"):
        assert found.layers[column].to_numpy() == pytest.approx(expected)
    assert found.layers["random_weights_smallest"].to_numpy() == pytest.approx(-expected)
    assert found.layers["random_weights_largest"].to_numpy() == pytest.approx(3 * expected)
    assert (found.layers["n_texts"] == 8).all() and (found.layers["corpus"] == "posts").all()
    claims = found.claims
    assert claims["claim"].tolist() == [layer_roles.FORWARD, layer_roles.CHOICES]
    assert claims["expected_sign"].tolist() == ["+", "-"]
    numbers = ["value", "low", "high", "random_weights_mean", *layer_roles.RANDOM[1:]]
    assert claims[numbers].to_numpy() == pytest.approx(np.array([[1, 1, 1, 0, -1, 1]] * 2))
    assert (claims["n_texts"] == 8).all() and (claims["n_blocks"] == 3).all()
    # Two of the six orders of three layers rise or fall all the way.
    assert claims["p_value"].to_numpy() == pytest.approx(1 / 3, abs=0.07)


def test_two_layers_rise_or_fall():
    assert rank_correlations(np.array([[1.0, 5, 2], [2, 3, 2]])) == pytest.approx(
        [1, -1, np.nan], nan_ok=True
    )
