"""Holds the stage to its family, to the project's settings and to nulls by random weights."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from embspace.geometry import mean_cosine
from embspace.geometry.measures.registry import definitions
from embspace.measure.layers.direction import measure_direction
from embspace.measure.layers.layer_profiles import LayerProfiles
from embspace.spaces.layers import layer_clouds
from tests.measure.layer_corpora import EMPTY, assert_equal, processes, settings_of, three_corpora

PLACE = {"corpus": "many", "space": "token", "change": "as_is", "layer": 1}
RANDOM = pd.DataFrame(
    [
        {
            **PLACE,
            "measure": measure,
            "null": "shuffled_entries",
            "seed": seed,
            "n": 9,
            "value": 0.25,
        }
        for measure in ("mean_cosine", "two_nn")
        for seed in (0, 1)
    ]
)


@pytest.fixture(scope="module")
def settings(root: Path) -> dict[str, Any]:
    return settings_of(root, "direction")


def measured(settings: dict[str, Any], random_weights: pd.DataFrame = RANDOM) -> LayerProfiles:
    with processes(1):
        return measure_direction(three_corpora(), random_weights, **settings)


@pytest.fixture(scope="module")
def found(settings: dict[str, Any]) -> LayerProfiles:
    return measured(settings)


def test_every_measure_of_the_family_and_no_other(found: LayerProfiles) -> None:
    names = {each.name for each in definitions().values() if each.family == "direction"}
    assert set(found.profiles["measure"]) == names


def test_a_small_corpus_is_left_out(found: LayerProfiles, settings: dict[str, Any]) -> None:
    assert set(found.profiles["corpus"]) == {"many", "pooled"}
    larger = measured(settings | {"fewest_documents": 10})
    assert set(larger.profiles["corpus"]) == {"many"}


def test_changes_are_those_of_the_settings(found: LayerProfiles, settings: dict[str, Any]) -> None:
    assert set(found.profiles["change"]) == set(settings["changes"])


def test_random_weights_are_nulls_among_others(
    found: LayerProfiles, settings: dict[str, Any]
) -> None:
    without = measured(settings, EMPTY)
    rows = found.nulls[found.nulls["null"] == "shuffled_entries"]
    assert rows["measure"].tolist() == ["mean_cosine"]
    assert len(found.nulls) == len(without.nulls) + 1
    row = rows.iloc[0]
    assert (row["n_draws"], row["null_mean"]) == (2, 0.25)
    [(_, _, cloud)] = [
        each
        for each in layer_clouds(three_corpora()["many"], 1, ["as_is"], n_top=0)
        if each[0] == "token"
    ]
    assert row["value"] == pytest.approx(mean_cosine(cloud.x))


def test_the_seed_is_the_one_door(found: LayerProfiles, settings: dict[str, Any]) -> None:
    assert_equal(measured(settings), found)
    assert not measured(settings | {"seed": 1}).profiles["low"].equals(found.profiles["low"])
