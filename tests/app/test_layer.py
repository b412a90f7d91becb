import pandas as pd
import pytest

from embspace.app.layer import advice, choose_layer
from embspace.app.report import Subject
from embspace.errors import InputError
from tests.measure.texts.planted_layers import planted_table


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return planted_table()


def test_the_layer_that_carries_the_labels_is_named(table: pd.DataFrame):
    said = advice(table, "a_model")
    assert "planted: labels\n" in said
    sentence = next(line for line in said.splitlines() if "linear classifier" in line)
    assert sentence.startswith("Of the 4 layers of a_model and 3 poolings, layer 2 with ")
    assert "more than the last layer with it; words alone 0." in sentence
    assert "chance" not in sentence
    assert "  1=  layer 2, " in said


def test_an_earlier_layer_is_not_praised_where_the_last_is_best(table: pd.DataFrame):
    rows = table[(table["task"] == "labels") & (table["layer"].isna() | (table["layer"] >= 2))]
    assert "no earlier layer does better" in advice(rows.replace({"layer": {3: 1}}), "m")


def test_the_best_of_what_is_no_better_than_chance_is_not_praised(table: pd.DataFrame):
    rows = table[(table["task"] == "labels") & ~(table["layer"] == 2)]
    assert "it is not surely above chance, 0.500" in advice(rows, "m")


def test_nothing_to_choose_by_is_said():
    assert "expected 20 texts or more" in advice(pd.DataFrame(), "m")


def test_a_task_that_is_not_asked_is_named_with_what_it_needs(table: pd.DataFrame):
    assert "not asked" not in advice(table, "m")
    without = advice(table[table["task"] == "search"], "m")
    assert without.endswith(
        "planted: labels not asked, which needs two labels or more (--label-column) that 20 texts "
        "or more have each."
    )
    without = advice(table[table["task"] == "labels"], "m")
    assert "planted: search not asked, which needs 20 texts or more of at least four" in without


def test_vectors_that_read_no_text_are_refused():
    subject = Subject("glove", ["posts"], None, {"source": "vectors"})
    with pytest.raises(InputError, match="found 'glove', whose `source: vectors` reads no text"):
        choose_layer(subject, print)


def test_what_a_stage_said_comes_through(monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object) -> None:
        raise InputError("a stage failed")

    monkeypatch.setattr("embspace.app.layer.open_tree", fail)
    with pytest.raises(InputError, match="a stage failed"):
        choose_layer(Subject("minilm", ["one"], None, layers=True), print)
