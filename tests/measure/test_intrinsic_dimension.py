"""Holds the stage to its family, among the measures of neighbours."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from embspace.geometry import two_nn
from embspace.geometry.null_clouds import NULLS_OF_FAMILY
from embspace.geometry.registry import definitions
from embspace.layer_clouds import layer_clouds
from embspace.measure.intrinsic_dimension import measure_intrinsic_dimension
from embspace.measure.layer_profiles import LayerProfiles
from embspace.measure.neighbourhoods import measure_neighbourhoods
from tests.measure.layer_corpora import processes, settings_of, three_corpora


@pytest.fixture(scope="module")
def settings(root: Path) -> dict[str, Any]:
    return settings_of(root, "neighbourhoods")


@pytest.fixture(scope="module")
def found(settings: dict[str, Any]) -> LayerProfiles:
    with processes(1):
        return measure_intrinsic_dimension(measure_neighbourhoods(three_corpora(), **settings))


def test_every_measure_of_the_family_and_no_other(found: LayerProfiles) -> None:
    names = {each.name for each in definitions().values() if each.family == "intrinsic_dimension"}
    assert set(found.profiles["measure"]) == names
    assert set(found.nulls["null"]) == {*NULLS_OF_FAMILY["intrinsic_dimension"]}
    assert set(found.nulls["measure"]) == set(found.curves["measure"]) < names


def test_one_batch_is_the_whole_cloud(found: LayerProfiles) -> None:
    [(_, _, cloud)] = [
        each
        for each in layer_clouds(three_corpora()["many"], 1, ["as_is"], n_top=0)
        if each[0] == "token"
    ]
    query = "corpus == 'many' and space == 'token' and change == 'as_is' and layer == 1"
    row = found.profiles.query(query).set_index("measure").loc["two_nn"]
    assert row["value"] == pytest.approx(two_nn(cloud.x).value)
    assert (row["n_batches"], row["n"]) == (1, len(cloud.x))
    assert row["low"] < row["value"] < row["high"]


def test_slow_measures_have_no_interval(found: LayerProfiles, settings: dict[str, Any]) -> None:
    slow = found.profiles[found.profiles["measure"].isin(settings["value_only"])]
    assert set(slow["measure"]) == set(settings["value_only"])
    assert slow[["low", "high"]].isna().all(axis=None)


def test_there_is_nothing_to_set(root: Path) -> None:
    assert yaml.safe_load((root / "conf/measure/intrinsic_dimension.yaml").read_text()) == {}
