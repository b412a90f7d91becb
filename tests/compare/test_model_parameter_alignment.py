"""Holds the matching of two models by their parameters to copies of which the answer is known."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.compare.model_parameter_alignment import (
    COLUMNS,
    compare_model_parameter_alignment,
)
from embspace.errors import InputError
from embspace.geometry.inference.holm import holm_p_values
from embspace.measure.parameters.vocabulary_space import VocabularySpace
from embspace.models.parameters.layers import LayerParameters
from embspace.models.parameters.read import ModelParameters
from tests.models.parameters.known import DIM, known_parameters

N_LAYERS = 6
NAMES = ("one", "other")
SETTINGS: dict[str, Any] = {"n_shuffles": 300, "level": 0.95, "seed": 0}


def space(parameters: ModelParameters | None) -> VocabularySpace:
    return VocabularySpace(parameters, "BertModel", [])


def turned(parameters: ModelParameters, order: list[int]) -> ModelParameters:
    """The layers of a model in another basis, some of them left out."""
    turn = np.linalg.qr(np.random.default_rng(5).normal(size=(DIM, DIM)))[0].astype(np.float32)

    def of_layer(layer: LayerParameters) -> LayerParameters:
        return replace(
            layer,
            **{name: getattr(layer, name) @ turn for name in ("query", "key", "value", "output")},
            ff_keys={name: rows @ turn for name, rows in layer.ff_keys.items()},
            ff_values=layer.ff_values @ turn,
        )

    return replace(
        parameters,
        layers=[of_layer(parameters.layers[each]) for each in order],
        output_embedding=parameters.output_embedding @ turn,
    )


MODEL = known_parameters(0, n_layers=N_LAYERS)


@pytest.fixture(scope="module")
def found() -> pd.DataFrame:
    """The other model has layers 2, 4 and 6 of the first."""
    other = turned(MODEL, [1, 3, 5])
    return compare_model_parameter_alignment(space(MODEL), space(other), NAMES, **SETTINGS)


def test_layers_that_were_kept_are_found_through_the_vocabulary(found: pd.DataFrame) -> None:
    assert list(found) == COLUMNS and found["reason"].isna().all()
    rows = found[found["space"] == "vocabulary"]
    assert set(rows["matches"]) == {"- 1 - 2 - 3"}
    assert (rows["in_order"] == 1).all()
    assert (rows["p_value"] < 0.02).all()
    assert rows["is_above_dealt_rows"].mean() >= 0.5  # of ten rows, dealt ones may be as alike
    assert (found.loc[found["space"] == "raw", "matches"] != "- 1 - 2 - 3").any()


def test_every_two_layers_have_a_cell(found: pd.DataFrame) -> None:
    assert len(found) == 6 * 2 * N_LAYERS * 3
    chosen = found[found["is_assigned"]]
    assert (chosen.groupby(["group", "space"]).size() == 3).all()
    means = chosen.groupby(["group", "space"])[["similarity", "mean_similarity"]].mean()
    assert means["similarity"].to_numpy() == pytest.approx(means["mean_similarity"].to_numpy())


def test_unlike_models_are_as_the_null_is() -> None:
    other = known_parameters(1, n_layers=N_LAYERS)
    rows = compare_model_parameter_alignment(space(MODEL), space(other), NAMES, **SETTINGS)
    assert not rows["is_above_dealt_rows"].any()
    assert rows["null_in_order"].mean() == pytest.approx(0.5, abs=0.1)


def test_p_values_are_corrected_for_all_groups_and_spaces(found: pd.DataFrame) -> None:
    rows = found.drop_duplicates(["group", "space"])
    assert len(rows) == 12
    assert rows["holm_p_value"].to_numpy() == pytest.approx(
        holm_p_values(rows["p_value"].to_numpy())
    )
    assert (rows["is_above_dealt_rows"] == (rows["holm_p_value"] <= 0.05)).all()
    few = compare_model_parameter_alignment(
        space(MODEL), space(turned(MODEL, [1, 3, 5])), NAMES, **{**SETTINGS, "n_shuffles": 100}
    )
    assert not few["is_above_dealt_rows"].any()  # 12 tests of 100 draws: 12 / 101 at least


def test_a_layer_of_constant_rows_is_told_by_name() -> None:
    other = known_parameters(1, n_layers=N_LAYERS)
    flat = replace(other.layers[2], query=np.ones_like(other.layers[2].query))
    other = replace(other, layers=[*other.layers[:2], flat, *other.layers[3:]])
    words = r"attention_query, raw: layer 3 of the second of two models \(one and other\)"
    with pytest.raises(InputError, match=words):
        compare_model_parameter_alignment(space(MODEL), space(other), NAMES, **SETTINGS)


def test_another_vocabulary_is_told_in_words_and_breaks_nothing() -> None:
    other = replace(known_parameters(1), tokens=["other", *MODEL.tokens[1:]])
    found = compare_model_parameter_alignment(space(MODEL), space(other), NAMES, **SETTINGS)
    assert len(found) == 1 and list(found) == COLUMNS and found["group"].isna().all()
    assert "token 0 is 'token_0' and 'other'" in found.loc[0, "reason"]


def test_a_model_without_known_blocks_is_told_in_words() -> None:
    found = compare_model_parameter_alignment(space(MODEL), space(None), NAMES, **SETTINGS)
    assert found.loc[0, "reason"].startswith("other: BertModel has no blocks")
