"""Profiles of a model and a run, picked from larger tables."""

import pandas as pd
import pytest

from embspace.measure.layers.encoders_decoders import (
    COLUMNS,
    Profiled,
    Trained,
    measure_encoders_decoders,
)
from tests.measure.dynamics_tables import N_LAYERS, STEPS, dynamics
from tests.train.runs import CAUSAL, CLASSIFIED, MASKED, small_run

MEASURES = ["top_variance_share", "two_nn"]


def profiles(measure: str) -> pd.DataFrame:
    rows = [
        {"corpus": corpus, "space": space, "change": change, "layer": layer, "measure": name}
        | {"value": layer + 0.5, "low": layer, "high": layer + 1}
        for corpus in ("articles", "posts")
        for space in ("token", "cls")
        for change in ("as_is", "whitened")
        for layer in range(5)
        for name in (measure, "another")
    ]
    return pd.DataFrame(rows)


@pytest.fixture
def table() -> pd.DataFrame:
    both = pd.concat([profiles("top_variance_share"), profiles("two_nn")])
    run = small_run({"first": CAUSAL, "second": CAUSAL})
    return measure_encoders_decoders(
        {"model": Profiled(both, "BertModel"), "other": Profiled(both, "GPT2Model")},
        {"run": Trained(dynamics(lambda n, layer: n + layer, lambda n, layer: 2.0 * n), run)},
        measures=MEASURES,
        corpus="articles",
    )


def test_a_row_for_each_layer_of_tokens_as_they_are(table: pd.DataFrame) -> None:
    assert list(table.columns) == COLUMNS
    of_model = table[table["name"] == "model"]
    assert len(of_model) == len(MEASURES) * 5
    assert set(of_model["kind"]) == {"encoder"} and set(of_model["corpus"]) == {"articles"}
    assert (of_model["low"] < of_model["value"]).all()
    assert of_model["seed"].isna().all()
    assert list(dict.fromkeys(table["name"])) == ["model", "other", "run"]
    assert set(table.loc[table["name"] == "other", "kind"]) == {"decoder"}


def test_a_run_is_that_of_the_last_checkpoint_of_its_first_phase(table: pd.DataFrame) -> None:
    of_run = table[(table["name"] == "run") & (table["measure"] == "top_variance_share")]
    assert len(of_run) == 2 * N_LAYERS and set(of_run["seed"]) == {0, 1}
    assert (of_run["value"] == len(STEPS) - 1 + of_run["layer"]).all()
    assert set(of_run["kind"]) == {"decoder"} and set(of_run["corpus"]) == {""}


def test_depth_goes_from_0_to_1_in_each(table: pd.DataFrame) -> None:
    found = table.groupby("name")["depth"].agg(["min", "max"])
    assert (found["min"] == 0).all() and (found["max"] == 1).all()


def test_a_run_that_only_classifies_is_left_out() -> None:
    run = small_run({"first": MASKED, "second": CLASSIFIED})
    only = run.model_copy(update={"phases": {"first": run.phases["second"]}})
    given = dynamics(lambda n, layer: n + layer, lambda n, layer: 2.0 * n)
    found = measure_encoders_decoders(
        {}, {"run": Trained(given, only)}, measures=MEASURES, corpus="articles"
    )
    assert found.empty and list(found.columns) == COLUMNS


def test_a_model_that_does_not_read_the_corpus_has_no_row() -> None:
    found = measure_encoders_decoders(
        {"model": Profiled(profiles("two_nn"), "BertModel")},
        {},
        measures=MEASURES,
        corpus="letters",
    )
    assert found.empty and list(found.columns) == COLUMNS
