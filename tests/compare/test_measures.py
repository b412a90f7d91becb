from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.compare.measures import COLUMNS, SOURCES, compare_measures
from embspace.compare.paired_differences import PairedVectors

SETTINGS: dict[str, Any] = {"n_resamples": 50, "level": 0.9, "seed": 0}
CATEGORIES = ["a", "b"]


def results(values: dict[str, float], longest: dict[str, int]) -> dict[str, dict[str, Any]]:
    """Of each model a table of each source: two groups, as long as `longest`, of equal values."""
    found: dict[str, dict[str, Any]] = {}
    for source in SOURCES:
        found[source.file] = {}
        for model, value in values.items():
            n = longest[model] if source.along else 1
            groups = [dict.fromkeys(source.keys, "a"), dict.fromkeys(source.keys, "b")]
            if source.table == "cosines":
                groups = [{"pooling": "mean", "category_1": "a", "category_2": "b"}]
            elif source.table == "categories":
                groups = [{"pooling": "mean", "category": each} for each in CATEGORIES]
            elif not source.keys:
                groups = [{}]
            rows = [
                group | ({source.along: at} if source.along else {}) | {"ignored": 0.0}
                for group in groups
                for at in range(n)
            ]
            table = pd.DataFrame(rows)
            for quantity in source.quantities:
                table[quantity] = value
            found[source.file][model] = table
    return found


def vectors(seed: int) -> PairedVectors:
    rng = np.random.default_rng(seed)
    category = np.repeat([0, 1], 8)
    cells = {(layer, "mean"): 1 + rng.normal(size=(16, 5)) for layer in range(2)}
    return PairedVectors(CATEGORIES, category, cells)


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    tables = results({"one": 3.0, "two": 1.0}, {"one": 3, "two": 2})
    return compare_measures(tables, {"one": vectors(0), "two": vectors(1)}, **SETTINGS)


def test_every_source_is_there_with_its_difference(table: pd.DataFrame):
    assert list(table.columns) == COLUMNS
    found = table[["noun", "table"]].drop_duplicates().to_numpy().tolist()
    assert found == [[source.noun, source.table] for source in SOURCES]
    both = table.dropna(subset=["model_value", "other_model_value"])
    assert (both["difference"] == 2).all()
    rows = table[(table["noun"] == "similarity") & (table["quantity"] == "mean")]
    assert list(rows["group"]) == ["a / a", "b / b"]
    assert rows["at"].isna().all()


def test_what_one_alone_has_stays_and_has_no_difference(table: pd.DataFrame):
    profile = table[table["table"] == "profiles"]
    assert list(profile["at"]) == [0, 1, 2]
    assert list(profile["model_value"]) == [3, 3, 3]
    assert profile["other_model_value"].isna().tolist() == [False, False, True]
    assert profile["difference"].isna().tolist() == [False, False, True]


def test_differences_alone_have_bounds_where_both_have_the_layer(table: pd.DataFrame):
    bounded = table.dropna(subset=["difference_low", "difference_high"])
    assert set(bounded["noun"]) == {"differences"}
    assert set(bounded["at"]) == {0, 1}
    assert (bounded["difference_low"] < bounded["difference_high"]).all()
    assert set(bounded["n_paired"]) == {8}
    n_cells = 2 * (len(CATEGORIES) + 1)
    assert len(bounded) == n_cells


def test_a_pair_does_not_depend_on_other_models(table: pd.DataFrame):
    values = {"zero": 0.0, "one": 3.0, "two": 1.0}
    tables = results(values, {"zero": 4, "one": 3, "two": 2})
    of_three = {"zero": vectors(2), "one": vectors(0), "two": vectors(1)}
    found = compare_measures(tables, of_three, **SETTINGS)
    pairs = found[["model", "other_model"]].drop_duplicates().to_numpy().tolist()
    assert pairs == [["zero", "one"], ["zero", "two"], ["one", "two"]]
    kept = found[(found["model"] == "one")].reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, table)


def test_one_model_gives_an_empty_table():
    tables = results({"one": 3.0}, {"one": 3})
    found = compare_measures(tables, {"one": vectors(0)}, **SETTINGS)
    assert list(found.columns) == COLUMNS
    assert found.empty


def test_models_that_read_nothing_have_no_bounds():
    tables = results({"one": 3.0, "two": 1.0}, {"one": 3, "two": 2})
    mute = PairedVectors(CATEGORIES, vectors(0).category, {})
    found = compare_measures(tables, {"one": vectors(0), "two": mute}, **SETTINGS)
    assert found[["difference_low", "difference_high", "n_paired"]].isna().all(axis=None)


def test_a_model_without_rows_leaves_the_other_alone():
    tables = results({"one": 3.0, "two": 1.0}, {"one": 3, "two": 2})
    empty = {file: {"one": t["one"], "two": t["two"][:0]} for file, t in tables.items()}
    found = compare_measures(empty, {"one": vectors(0), "two": vectors(1)}, **SETTINGS)
    assert found["other_model_value"].isna().all()
    assert (found["model_value"] == 3).all()
