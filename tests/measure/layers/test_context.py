"""Holds the stage to its family, to the project's settings and to nulls by random weights."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from embspace.geometry import self_similarity
from embspace.geometry.measures.registry import definitions
from embspace.measure.layers.context import measure_context
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
        for measure in ("self_similarity", "two_nn")
        for seed in (0, 1)
    ]
)


@pytest.fixture(scope="module")
def settings(root: Path) -> dict[str, Any]:
    return settings_of(root, "context") | {"position_band": 5}


def measured(settings: dict[str, Any], random_weights: pd.DataFrame = RANDOM) -> LayerProfiles:
    with processes(1):
        return measure_context(three_corpora(), random_weights, **settings)


@pytest.fixture(scope="module")
def found(settings: dict[str, Any]) -> LayerProfiles:
    return measured(settings)


def test_every_measure_of_the_family_and_no_other(found: LayerProfiles) -> None:
    names = {each.name for each in definitions().values() if each.family == "context"}
    assert set(found.profiles["measure"]) == names


def test_a_small_corpus_is_left_out(found: LayerProfiles, settings: dict[str, Any]) -> None:
    assert set(found.profiles["corpus"]) == {"many"}
    larger = measured(settings | {"fewest_documents": 13})
    assert larger.profiles.empty and larger.nulls.empty


def test_changes_are_those_of_the_settings(found: LayerProfiles, settings: dict[str, Any]) -> None:
    assert set(found.profiles["change"]) == set(settings["changes"])


def test_slow_measures_have_no_interval(found: LayerProfiles, settings: dict[str, Any]) -> None:
    slow = found.profiles[found.profiles["measure"].isin(settings["value_only"])]
    assert set(slow["measure"]) == set(settings["value_only"])
    assert set(slow["change"]) == {"as_is"}
    assert slow[["low", "high"]].isna().all(axis=None)
    others = found.profiles.drop(slow.index).query("change == 'as_is'")
    assert others["low"].notna().mean() > 0.9


def test_layers_of_words_alone_owe_nothing_to_the_text(found: LayerProfiles) -> None:
    rows = found.nulls[found.nulls["null"] == "exchanged_between_texts"].set_index("measure")
    # Exchanged within a word, nothing of a word changes: no null of what is measured by word.
    assert set(rows.index) == {"intra_sentence_similarity"}
    row = rows.loc["intra_sentence_similarity"].set_index("layer")
    assert abs(row["value"] - row["null_mean"])[0] < 0.05
    assert (row["value"] - row["null_mean"])[1] > 0.1


def test_random_weights_are_nulls_among_others(
    found: LayerProfiles, settings: dict[str, Any]
) -> None:
    without = measured(settings, EMPTY)
    rows = found.nulls[found.nulls["null"] == "shuffled_entries"]
    assert rows["measure"].tolist() == ["self_similarity"]
    assert len(found.nulls) == len(without.nulls) + 1
    row = rows.iloc[0]
    assert (row["n_draws"], row["null_mean"]) == (2, 0.25)
    [(_, _, cloud)] = [
        each
        for each in layer_clouds(three_corpora()["many"], 1, ["as_is"], n_top=0)
        if each[0] == "token"
    ]
    assert row["value"] == pytest.approx(self_similarity(cloud.x, cloud.word))


def test_the_seed_is_the_one_door(found: LayerProfiles, settings: dict[str, Any]) -> None:
    assert_equal(measured(settings), found)
    assert not measured(settings | {"seed": 1}).profiles["low"].equals(found.profiles["low"])
