from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from embspace.analysis import Analysis, Source, Table
from embspace.files.scalars import load_scalars
from embspace.files.tables import load_table, save_table
from embspace.files.tensors import load_tensors, save_tensors
from embspace.settings.stage import StageConfig

LENGTHS = Analysis(
    noun="lengths",
    question="How long are they?",
    reads={
        "matrices": "data/{model}.safetensors",
        "words": "results/words/{model}.csv",
        "label": Source(lambda name, model: f"{name}, {model.label}"),
        "first_line": Source(lambda path: Path(path).read_text().splitlines()[0], "{model}.txt"),
        "corpora": Source(
            lambda folder, path, corpora: dict.fromkeys(corpora, (folder, path)),
            ("data/{model}", "texts"),
            lists=["corpora"],
        ),
    },
    tables={
        "csv": Table({"word": ("row", "word"), "length": ("moment", "length")}),
        "bins": Table({"bin": "row", "count": "count"}),
    },
    scalars={"n": "count"},
    data={"safetensors": save_tensors},
)


def config_of(name: str) -> StageConfig:
    described = {"label": "Tiny", "corpus": {}}
    return StageConfig(name, described, "", {}, [name], ["letters"], {"power": 2})


def test_columns_stand_in_the_declared_order_and_lacking_ones_are_not_defined():
    table = Table({"a": "row", "b": "moment", "c": "moment"}).of([{"c": 1.0, "a": 2}])
    assert list(table) == ["a", "b", "c"]
    assert table["b"].isna().all()
    assert table["a"].dtype == np.int64


def test_columns_of_a_pattern_keep_their_order_and_their_place():
    declared = Table(
        {
            "n": "count",
            "quantile_*": "quantile",
            "quantile_0.5": ("quantile", "median"),
            "maximum": "moment",
        }
    )
    row = {"maximum": 3.0, "quantile_0.1": 1.0, "quantile_0.5": 2.0, "quantile_0.9": 2.5, "n": 4}
    expected = ["n", "quantile_0.1", "quantile_0.5", "quantile_0.9", "maximum"]
    assert list(declared.of([row])) == expected
    assert list(declared.of()) == ["n", "quantile_0.5", "maximum"]
    assert declared.headings == {"quantile_0.5": "median"}


def test_a_column_that_is_not_declared_is_refused():
    with pytest.raises(ValueError, match="columns that are not declared: wdith"):
        Table({"width": "moment"}).of([{"wdith": 1.0}])


def test_readers_see_a_null_beside_its_quantity():
    columns = {"value": ("share", "value"), "p": ("p_value", "p"), "null_value": ("share", "null")}
    assert list(Table(columns).headings.values()) == ["value", "null", "p"]


def test_compared_rows_are_told_apart_by_their_keys():
    table = Table({"space": "row", "layer": "row", "mean": "moment"}, ["mean"], along="layer")
    assert table.keys == ["space"]


def test_a_stage_loads_calls_and_saves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    as_described = "embspace.analysis.describe_model"
    monkeypatch.setattr(as_described, lambda _, content: SimpleNamespace(**content))
    save_tensors({"x": np.ones((2, 3), np.float32)}, "data/tiny.safetensors")
    save_table(pd.DataFrame({"word": ["a", "b"]}), "results/words/tiny.csv")
    Path("tiny.txt").write_text("one\ntwo\n")

    def measure_lengths(matrices, words, label, first_line, corpora, *, power):
        assert (label, first_line) == ("tiny, Tiny", "one")
        assert corpora == {"letters": ("data/tiny", "texts")}
        lengths = matrices["x"].sum(axis=1) ** power
        return {
            "csv": words.assign(length=lengths),
            "bins": pd.DataFrame({"bin": [1], "count": [2]}),
            "json": {"n": 2},
            "safetensors": {"lengths": lengths},
        }

    LENGTHS.main(measure_lengths)(config_of("tiny"))
    assert load_table("results/lengths/tiny.csv")["length"].tolist() == [9, 9]
    assert load_table("results/lengths/bins/tiny.csv")["count"].tolist() == [2]
    assert load_scalars("results/lengths/tiny.json") == {"n": 2}
    large = load_tensors("data/measured/lengths/tiny.safetensors")
    assert large["lengths"].tolist() == [9, 9]


def test_what_looks_at_no_model_is_saved_as_a_toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    toy = Analysis("toys", "?", {}, {"csv": Table({"a": "row"})}, over="")
    toy.main(lambda power: {"csv": pd.DataFrame({"a": [power]})})(config_of(""))
    assert load_table("results/toys/toy.csv")["a"].tolist() == [2]


def test_a_run_is_loaded_by_its_name_its_description_and_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "embspace.analysis.describe_run", lambda name, content: content | {"is": name}
    )
    source = Source(lambda *taken: taken, "texts/{corpus}/{run}", described=True)
    columns = {"csv": Table({"a": "row"})}
    runs = Analysis("runs", "?", {"taken": source}, columns, over="trained")

    def measure_runs(taken, *, corpus):
        assert taken == ("texts/letters/small", "small", {"label": "Small", "is": "small"})
        return {"csv": pd.DataFrame({"a": [corpus]})}

    described = {"train_name": "small", "train": {"label": "Small"}}
    runs.main(measure_runs)(StageConfig("", {}, "", {}, [], [], {"corpus": "letters"}, **described))
    assert load_table("results/runs/small.csv")["a"].tolist() == ["letters"]
    assert [*runs.deps()] == ["texts/{corpus}/{run}"]
    assert runs.is_described


def test_a_pair_is_loaded_by_both_names():
    reads = {"both": Source(lambda *paths: paths, ("{model}.csv", "{other_model}.csv"))}
    pairs = Analysis("pairs", "?", reads, over="compared")
    assert pairs.load("a--b", dict) == {"both": ("a.csv", "b.csv")}
    assert not pairs.is_described
    assert replace(pairs, tables={"csv": Table({})}).outputs == {"csv": "results/pairs/{pair}.csv"}


@pytest.mark.parametrize("change", [{"more": pd.DataFrame()}, {"bins": None}])
def test_results_unlike_the_declared_ones_are_refused(change: dict[str, pd.DataFrame | None]):
    results = LENGTHS.empty(n=0) | change
    results = {name: table for name, table in results.items() if table is not None}
    with pytest.raises(ValueError, match=f"measure_lengths.*{next(iter(change))}"):
        LENGTHS.save(results, "tiny")


def test_nothing_to_measure_leaves_every_table_with_its_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    LENGTHS.save(LENGTHS.empty(n=0), "tiny")
    assert list(load_table("results/lengths/tiny.csv")) == ["word", "length"]
    assert load_table("results/lengths/bins/tiny.csv").empty
    assert load_tensors("data/measured/lengths/tiny.safetensors") == {}


def test_a_model_is_a_dependency_of_what_reads_its_description():
    assert [*LENGTHS.deps()] == [
        "data/{model}.safetensors",
        "results/words/{model}.csv",
        "data/prepared/model/{model}.json",
        "{model}.txt",
        "data/{model}",
        "texts",
    ]
    assert LENGTHS.lists == ["corpora"]
    assert LENGTHS.is_described
    assert not Analysis("n", "?", {"x": "data/{model}.csv"}).is_described
