"""Holds the matching of two models by their parameters to copies of which the answer is known."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.compare.model_parameter_alignment import compare_model_parameter_alignment
from embspace.errors import InputError
from embspace.geometry.inference.holm import holm_p_values
from embspace.measure.parameters.vocabulary_space import VocabularySpace
from embspace.models.parameters.layers import LayerParameters
from embspace.models.parameters.read import ModelParameters
from tests.analyses import settings_of
from tests.models.parameters.known import DIM, known_parameters

N_LAYERS = 6
NAMES = ("one", "other")
DECIDED_BY_SEED = ("p_value_in_order", "holm_p_value", "holm_p_value_in_order")


def space(parameters: ModelParameters | None) -> VocabularySpace:
    return VocabularySpace(parameters, "BertModel", [])


def turned(parameters: ModelParameters, order: list[int]) -> ModelParameters:
    """The layers of a model in another basis, some of them left out."""
    turn = np.linalg.qr(np.random.default_rng(5).normal(size=(DIM, DIM)))[0].astype(np.float32)

    def turned_layer(layer: LayerParameters) -> LayerParameters:
        return replace(
            layer,
            **{name: getattr(layer, name) @ turn for name in ("query", "key", "value", "output")},
            ff_keys={name: rows @ turn for name, rows in layer.ff_keys.items()},
            ff_values=layer.ff_values @ turn,
        )

    return replace(
        parameters,
        layers=[turned_layer(parameters.layers[layer]) for layer in order],
        output_embedding=parameters.output_embedding @ turn,
    )


MODEL = known_parameters(0, n_layers=N_LAYERS)


def inputs(*, is_empty: bool = False) -> dict[str, Any]:
    """Return a model and one with its layers 2, 4 and 6; if empty, one of unknown blocks."""
    other = None if is_empty else turned(MODEL, [1, 3, 5])
    return {"space": space(MODEL), "other_space": space(other), "names": NAMES}


def compared(other: ModelParameters | None, n_shuffles: int = 300) -> pd.DataFrame:
    # Of eight rows no order lies much further off than 5 deviations.
    few = {"n_shuffles": n_shuffles, "least_deviations": 4}
    settings = settings_of(compare_model_parameter_alignment, **few)
    both = (space(MODEL), space(other))
    return compare_model_parameter_alignment(*both, NAMES, **settings)["csv"]


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    """The other model has layers 2, 4 and 6 of the first."""
    return compared(turned(MODEL, [1, 3, 5]))


def test_layers_that_were_kept_are_found_through_the_vocabulary(table: pd.DataFrame) -> None:
    assert table["reason"].isna().all()
    rows = table[table["space"] == "vocabulary"]
    assert set(rows["matches"]) == {"- 1 - 2 - 3"}
    assert (rows["in_order"] == 1).all()
    assert (rows["p_value"] < 0.02).all()
    assert rows["is_above_dealt_rows"].mean() >= 0.5  # of ten rows, dealt ones may be as alike
    assert (table.loc[table["space"] == "raw", "matches"] != "- 1 - 2 - 3").any()


def test_every_two_layers_have_a_cell(table: pd.DataFrame) -> None:
    assert len(table) == 6 * 2 * N_LAYERS * 3
    chosen = table[table["is_assigned"]]
    assert (chosen.groupby(["group", "space"]).size() == 3).all()
    means = chosen.groupby(["group", "space"])[["similarity", "mean_similarity"]].mean()
    assert means["similarity"].to_numpy() == pytest.approx(means["mean_similarity"].to_numpy())


def test_unlike_models_are_as_the_null_is() -> None:
    other = known_parameters(1, n_layers=N_LAYERS)
    rows = compared(other)
    assert not rows["is_above_dealt_rows"].any()
    assert rows["null_in_order"].mean() == pytest.approx(0.5, abs=0.1)


def test_p_values_are_corrected_for_all_groups_and_spaces(table: pd.DataFrame) -> None:
    rows = table.drop_duplicates(["group", "space"])
    assert len(rows) == 12
    assert rows["holm_p_value"].to_numpy() == pytest.approx(
        holm_p_values(rows["p_value"].to_numpy())
    )
    assert (rows["is_above_dealt_rows"] == (rows["holm_p_value"] <= 0.05)).all()
    few = compared(turned(MODEL, [1, 3, 5]), n_shuffles=100)
    assert not few["is_above_dealt_rows"].any()  # 12 tests of 100 draws: 12 / 101 at least


def test_a_layer_of_constant_rows_is_told_by_name() -> None:
    other = known_parameters(1, n_layers=N_LAYERS)
    flat = replace(other.layers[2], query=np.ones_like(other.layers[2].query))
    other = replace(other, layers=[*other.layers[:2], flat, *other.layers[3:]])
    words = r"attention_query, raw: layer 3 of the second of two models \(one and other\)"
    with pytest.raises(InputError, match=words):
        compared(other)


def test_another_vocabulary_is_told_in_words_and_breaks_nothing() -> None:
    other = replace(known_parameters(1), tokens=["other", *MODEL.tokens[1:]])
    table = compared(other)
    assert len(table) == 1 and table["group"].isna().all()
    assert "token 0 is 'token_0' and 'other'" in table.loc[0, "reason"]


def test_a_model_without_known_blocks_is_told_in_words() -> None:
    assert compared(None).loc[0, "reason"].startswith("other: BertModel has no blocks")


def test_a_fine_tuned_copy_is_the_same_row_by_row_and_layer_by_layer() -> None:
    def moved(layer: LayerParameters) -> LayerParameters:
        rng = np.random.default_rng(3)
        step = 0.2 * layer.query.std() * rng.normal(size=layer.query.shape)
        return replace(layer, query=(layer.query + step).astype(np.float32))

    table = compared(replace(MODEL, layers=[moved(layer) for layer in MODEL.layers]))
    is_own = table["layer"] == table["other_layer"]
    assert table.loc[is_own, "is_same_rows"].all()
    assert not table.loc[~is_own, "is_same_rows"].any()
    query = table["group"] == "attention_query"
    # r of a row with a copy moved by 0.2 of its deviation: 1 / sqrt(1.04) = 0.98.
    raw = table.loc[is_own & query & (table["space"] == "raw"), "same_rows"]
    assert raw.to_numpy() == pytest.approx(0.98, abs=0.02)
    assert (table.loc[is_own & ~query, "same_rows"] > 0.999).all()


def test_rows_of_independent_models_are_not_the_same() -> None:
    for seed in range(1, 4):
        table = compared(known_parameters(seed, n_layers=N_LAYERS), n_shuffles=5)
        assert not table["is_same_rows"].any()
        assert table["same_rows_deviations"].abs().mean() < 1.5
