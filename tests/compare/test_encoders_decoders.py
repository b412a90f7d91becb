"""Profiles of a model and a run, picked from larger tables."""

import pandas as pd
import pytest

from embspace.compare.encoders_decoders import (
    COLUMNS,
    compare_encoders_decoders,
    kind_of_class,
    kind_of_run,
)
from tests.compare.dynamics_tables import N_LAYERS, STEPS, dynamics
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
    return compare_encoders_decoders(
        {"model": {"spectrum": profiles("top_variance_share"), "dimension": profiles("two_nn")}},
        {"model": "BertModel"},
        {"run": dynamics(lambda n, layer: n + layer, lambda n, layer: 2.0 * n)},
        {"run": small_run({"first": CAUSAL, "second": CAUSAL})},
        measures=MEASURES,
        corpora=["articles"],
    )


def test_a_row_for_each_layer_of_tokens_as_they_are(table: pd.DataFrame) -> None:
    assert list(table.columns) == COLUMNS
    of_model = table[table["name"] == "model"]
    assert len(of_model) == len(MEASURES) * 5
    assert set(of_model["kind"]) == {"encoder"} and set(of_model["corpus"]) == {"articles"}
    assert (of_model["low"] < of_model["value"]).all()


def test_a_run_is_that_of_the_last_checkpoint_of_its_first_phase(table: pd.DataFrame) -> None:
    of_run = table[(table["name"] == "run") & (table["measure"] == "top_variance_share")]
    assert len(of_run) == 2 * N_LAYERS  # seeds
    assert (of_run["value"] == len(STEPS) - 1 + of_run["layer"]).all()
    assert set(of_run["kind"]) == {"decoder"}


def test_depth_goes_from_0_to_1_in_each(table: pd.DataFrame) -> None:
    found = table.groupby("name")["depth"].agg(["min", "max"])
    assert (found["min"] == 0).all() and (found["max"] == 1).all()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("BertModel", "encoder"),
        ("RobertaModel", "encoder"),
        ("ModernBertModel", "encoder"),
        ("GPT2Model", "decoder"),
        ("GPTNeoXModel", "decoder"),
        ("LlamaModel", "decoder"),
    ],
)
def test_what_guesses_hidden_tokens_is_an_encoder(name: str, kind: str) -> None:
    assert kind_of_class(name) == kind


def test_what_only_classifies_is_neither() -> None:
    run = small_run({"first": MASKED})
    assert kind_of_run(run) == "encoder"
    classified = small_run({"first": MASKED, "second": CLASSIFIED}).phases["second"]
    only = run.model_copy(update={"phases": {"one": classified}})
    assert kind_of_run(only) == ""
    found = compare_encoders_decoders(
        {}, {}, {"run": pd.DataFrame()}, {"run": only}, measures=MEASURES, corpora=[]
    )
    assert found.empty and list(found.columns) == COLUMNS
