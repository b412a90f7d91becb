"""Holds the tables of hubs to the neighbors that the intrinsic dimension is measured from."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from embspace.files.rows import load_rows, save_rows
from embspace.geometry import reciprocity
from embspace.geometry.inference.null_clouds import NULLS_OF_FAMILY
from embspace.geometry.measures.registry import profiled_measures
from embspace.measure.layers.hubs import measure_hubs
from embspace.measure.layers.intrinsic_dimension import side_by_side
from embspace.measure.layers.layer_profiles import TABLES, layer_profiles
from tests.measure.layer_corpora import corpus, processes, protocol, three_corpora, vectors


def neighborhoods() -> pd.DataFrame:
    settings = protocol("hubs", batch_size=4096, changes=["as_is"])
    with processes(1):
        return side_by_side(layer_profiles({"many": corpus(9, n_layers=1)}, settings))


def inputs(*, is_empty: bool) -> dict[str, Any]:
    nothing = {name: table.of() for name, table in TABLES.items()}
    return {"neighborhoods": side_by_side(nothing) if is_empty else neighborhoods()}


def test_tables_of_a_file_are_those_that_were_measured(tmp_path: Path):
    many = {"many": three_corpora()["many"]}
    with processes(1):
        tables = layer_profiles(many, protocol("hubs", batch_size=4096))
    save_rows(side_by_side(tables), str(tmp_path / "mine.parquet"))
    again = measure_hubs(load_rows(str(tmp_path / "mine.parquet")))
    for name, table in tables.items():
        # Also integers, though other tables have more rows.
        assert TABLES[name].of(again[name]).to_csv() == table.to_csv()
    assert set(again["nulls"]["null"]) == {*NULLS_OF_FAMILY["hubs"]}
    names = {name for name, measure in profiled_measures().items() if measure.family == "hubs"}
    assert set(again["profiles"]["measure"]) == names
    query = "space == 'token' and layer == 1 and change == 'as_is' and measure == 'reciprocity'"
    [row] = again["profiles"].query(query).to_dict("records")
    assert row["value"] == pytest.approx(reciprocity(vectors("many", layer=1).x))
