"""Holds the stage to its families, to the project's settings and to what batches may hold."""

from pathlib import Path
from typing import Any

import pytest

from embspace.geometry import reciprocity
from embspace.geometry.inference.null_clouds import NULLS_OF_FAMILY
from embspace.geometry.measures.declaration import Family
from embspace.geometry.measures.registry import definitions
from embspace.measure.layers.layer_profiles import LayerProfiles
from embspace.measure.layers.neighbourhoods import measure_neighbourhoods
from embspace.spaces.layers import layer_clouds
from tests.measure.layer_corpora import processes, settings_of, three_corpora

FAMILIES: tuple[Family, ...] = ("neighbourhoods", "intrinsic_dimension")


@pytest.fixture(scope="module")
def settings(root: Path) -> dict[str, Any]:
    return settings_of(root, "neighbourhoods")


def measured(settings: dict[str, Any]) -> LayerProfiles:
    with processes(1):
        return measure_neighbourhoods(three_corpora(), **settings)


@pytest.fixture(scope="module")
def found(settings: dict[str, Any]) -> LayerProfiles:
    return measured(settings)


def test_every_measure_of_both_families_and_no_other(found: LayerProfiles) -> None:
    names = {each.name for each in definitions().values() if each.family in FAMILIES}
    assert set(found.profiles["measure"]) == names
    nulls = {null for family in FAMILIES for null in NULLS_OF_FAMILY[family]}
    assert set(found.nulls["null"]) == nulls


def test_a_small_corpus_is_left_out(found: LayerProfiles) -> None:
    assert set(found.profiles["corpus"]) == {"many", "pooled"}


def test_one_batch_is_the_whole_cloud(found: LayerProfiles) -> None:
    [(_, _, cloud)] = [
        each
        for each in layer_clouds(three_corpora()["many"], 1, ["as_is"], n_top=0)
        if each[0] == "token"
    ]
    query = "corpus == 'many' and space == 'token' and change == 'as_is' and layer == 1"
    row = found.profiles.query(query).set_index("measure").loc["reciprocity"]
    assert row["value"] == pytest.approx(reciprocity(cloud.x))
    assert (row["n_batches"], row["n"]) == (1, len(cloud.x))
    assert row["low"] < row["value"] < row["high"]


def test_smaller_batches_are_several(settings: dict[str, Any]) -> None:
    rows = measured(settings | {"batch_size": 64}).profiles
    assert rows.query("corpus == 'many' and space == 'token'")["n_batches"].ge(2).all()
    assert rows.query("space == 'cls'")["n_batches"].eq(1).all()


def test_the_seed_decides_which_halves(found: LayerProfiles, settings: dict[str, Any]) -> None:
    other = measured(settings | {"seed": 1}).profiles
    assert other["value"].equals(found.profiles["value"])
    assert not other["low"].equals(found.profiles["low"])
