from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from embspace.app.layer import advice, choose_layer, has_a_task
from embspace.app.report import Subject
from embspace.app.working_tree import OwnTexts
from embspace.errors import InputError
from embspace.measure.texts.layer_choice import measure_layer_choice
from tests.measure.texts.planted_layers import (
    SETTINGS,
    planted,
    planted_table,
    with_own_vectors,
)


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


SENTENCES = "One is here. Two is there. Three is far. Four is near."


@pytest.mark.parametrize(
    ("texts", "is_enough"),
    [
        ({"text": [SENTENCES] * 20}, True),
        ({"text": [SENTENCES] * 19 + ["One."]}, False),
        ({"text": ["One."] * 40, "label": ["a", "b"] * 20}, True),
        ({"text": ["One."] * 39, "label": ["a"] * 20 + ["b"] * 19}, False),
    ],
)
def test_what_a_task_needs_is_known_before_a_stage_runs(
    root: Path, monkeypatch: pytest.MonkeyPatch, texts: dict[str, list[str]], is_enough: bool
):
    monkeypatch.chdir(root)
    options = {"group_column": "label"} if "label" in texts else {}
    assert has_a_task(pd.DataFrame(texts), options) == is_enough


def test_too_few_texts_run_no_stage(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(root)
    (tmp_path / "data/texts").mkdir(parents=True)
    (tmp_path / "data/texts/my.csv").write_text("text;label\nA cat.;x\nA dog.;y\n")
    monkeypatch.setattr("embspace.app.layer.open_tree", lambda *_: SimpleNamespace(folder=tmp_path))
    own = OwnTexts(
        "my", "texts of my.csv", ".csv", b"", {"group_column": "label", "separator": ";"}
    )
    with pytest.raises(
        InputError, match=r"texts of my\.csv: nothing to choose a layer by; expected"
    ):
        choose_layer(Subject("minilm", ["my"], own), print)


def test_what_a_stage_said_comes_through(monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object) -> None:
        raise InputError("a stage failed")

    monkeypatch.setattr("embspace.app.layer.open_tree", fail)
    with pytest.raises(InputError, match="a stage failed"):
        choose_layer(Subject("minilm", ["one"], None), print)


def test_equal_texts_are_one_and_no_choice(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(root)
    (tmp_path / "data/texts").mkdir(parents=True)
    rows = "".join(f"{SENTENCES},{'xy'[number % 2]}\n" for number in range(60))
    (tmp_path / "data/texts/my.csv").write_text(f"text,label\n{rows}")
    monkeypatch.setattr("embspace.app.layer.open_tree", lambda *_: SimpleNamespace(folder=tmp_path))
    own = OwnTexts("my", "texts of my.csv", ".csv", b"", {"group_column": "label"})
    with pytest.raises(InputError, match="nothing to choose a layer by; .*; 59 of 60 texts repeat"):
        choose_layer(Subject("minilm", ["my"], own), print)


def test_the_vector_of_a_sentence_model_is_the_default(table: pd.DataFrame):
    read = {"planted": with_own_vectors(planted())}
    own = measure_layer_choice(None, None, read, **SETTINGS)
    said = advice(own, "a_model")
    assert said.count("the vector of its makers, the default") == 3
    assert said.count("The vector of its makers ") == said.count(": not clearly worse, a diff") == 3
    assert "of a_model and 3 poolings, layer 2 with " in said
    worse = own.assign(less_best_high=-0.1)
    assert "at 0." in advice(worse, "m") and ": clearly worse, a difference of " in advice(
        worse, "m"
    )
    plain = advice(own[own["embedding"] != "sentence"], "a_model")
    assert plain == advice(table, "a_model") and "its makers" not in plain
