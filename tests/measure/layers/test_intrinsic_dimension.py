"""Holds the intrinsic dimension of layers to their vectors, settings and nulls."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from embspace.analysis import Outcome
from embspace.geometry import two_nn
from embspace.geometry.inference.null_clouds import NULLS_OF_FAMILY
from embspace.geometry.measures.registry import profiled_measures
from embspace.measure.layers.hubs import measure_hubs
from embspace.measure.layers.intrinsic_dimension import measure_intrinsic_dimension
from embspace.settings.schema import read_yaml
from embspace.settings.stage import settings_path
from tests.analyses import settings_of
from tests.measure.layer_corpora import DECIDED_BY_SEED as DECIDED_BY_SEED
from tests.measure.layer_corpora import FEW, corpus, processes, three_corpora, vectors

NAMES = {n for n, measure in profiled_measures().items() if measure.family == "intrinsic_dimension"}


def inputs(*, is_empty: bool) -> dict[str, Any]:
    return {"corpora": {} if is_empty else {"many": corpus(8, n_layers=1)}}


@cache
def measured(**change: Any) -> Outcome:
    settings = settings_of(measure_intrinsic_dimension, **FEW | {"changes": ["as_is"]} | change)
    with processes(1):
        return measure_intrinsic_dimension({"many": three_corpora()["many"]}, **settings)


def test_every_measure_of_dimension_and_no_other():
    assert set(measured()["profiles"]["measure"]) == NAMES


def test_nulls_are_those_of_dimensions():
    tables = measured()
    assert set(tables["nulls"]["null"]) == {*NULLS_OF_FAMILY["intrinsic_dimension"]}
    assert set(tables["nulls"]["measure"]) == set(tables["curves"]["measure"]) <= NAMES


def test_one_batch_is_the_whole_cloud():
    query = "corpus == 'many' and space == 'token' and layer == 1 and measure == 'two_nn'"
    [row] = measured()["profiles"].query(query).to_dict("records")
    x = vectors("many", layer=1).x
    assert row["value"] == pytest.approx(two_nn(x).value)
    assert (row["n_batches"], row["n"]) == (1, len(x))
    assert row["low"] < row["value"] < row["high"]


def test_the_slow_measure_has_no_interval():
    rows = measured()["profiles"]
    slow_ones = settings_of(measure_intrinsic_dimension)["value_only"]
    slow = rows[rows["measure"].isin(slow_ones)]
    assert set(slow["measure"]) == set(slow_ones)
    assert len(slow) and slow[["low", "high"]].isna().all(axis=None)


@pytest.mark.slow
def test_smaller_batches_are_several():
    rows = measured(batch_size=64)["profiles"]
    assert rows.query("corpus == 'many' and space == 'token'")["n_batches"].ge(2).all()
    assert rows.query("space == 'cls'")["n_batches"].eq(1).all()


def test_hubs_find_their_measures_in_the_file_of_neighbors():
    hubs = measure_hubs(measured()["parquet"])["profiles"]
    expected = {name for name, said in profiled_measures().items() if said.family == "hubs"}
    assert set(hubs["measure"]) == expected
    assert not set(hubs["measure"]) & set(measured()["profiles"]["measure"])
    keys = ["corpus", "space", "layer", "change"]
    both = [set(map(tuple, table[keys].to_numpy())) for table in (hubs, measured()["profiles"])]
    assert both[0] and both[0] <= both[1]


def test_profiles_of_layers_draw_halves_and_nulls_alike(root: Path):
    """`embspace corpus` takes the draws of one of them for all."""
    settings = {
        noun: read_yaml(settings_path("measure", noun, root))
        for noun in ("direction", "spectrum", "context", "intrinsic_dimension")
    }
    draws = [content["draws"] for content in settings.values()]
    assert all(own == draws[0] for own in draws)
    assert settings["spectrum"]["batch_size"] == settings["intrinsic_dimension"]["batch_size"]
