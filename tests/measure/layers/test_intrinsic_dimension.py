"""Holds the stage to its family, among the measures of neighbours."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from embspace.files.rows import load_rows, save_rows
from embspace.geometry import two_nn
from embspace.geometry.inference.null_clouds import NULLS_OF_FAMILY
from embspace.geometry.measures.registry import definitions
from embspace.measure.layers.intrinsic_dimension import measure_intrinsic_dimension
from embspace.measure.layers.layer_profiles import COLUMNS, LayerProfiles
from embspace.measure.layers.neighbourhoods import measure_neighbourhoods
from embspace.spaces.layers import layer_clouds
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


def test_nothing_is_lost_on_the_way_from_the_other_stage(
    settings: dict[str, Any], found: LayerProfiles, tmp_path: Path
) -> None:
    with processes(1):
        whole = measure_neighbourhoods(three_corpora(), **settings)
        nothing = measure_neighbourhoods({}, **settings)
    for name in COLUMNS:
        for number, each in enumerate((whole, nothing)):
            save_rows(getattr(each, name), f"{tmp_path}/{name}{number}.parquet")
    read, empty = (
        measure_intrinsic_dimension(
            LayerProfiles(*(load_rows(f"{tmp_path}/{name}{number}.parquet") for name in COLUMNS))
        )
        for number in (0, 1)
    )
    for name, columns in COLUMNS.items():
        assert getattr(read, name).to_csv() == getattr(found, name).to_csv()
        assert list(getattr(empty, name)) == columns and not len(getattr(empty, name))


def test_there_is_nothing_to_set(root: Path) -> None:
    assert yaml.safe_load((root / "conf/measure/layers/intrinsic_dimension.yaml").read_text()) == {}
