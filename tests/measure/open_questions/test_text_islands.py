from functools import cache
from typing import Any

import pandas as pd
import pytest

from embspace.analysis import Outcome
from embspace.measure.open_questions.text_islands import measure_text_islands
from tests.analyses import settings_of
from tests.measure.open_questions.islands.planted import planted

FEW = {
    "smallest": 8,
    "n_density": 3,
    "n_neighbors": 24,
    "n_half_samples": 6,
    "n_clouds": 1,
    "most_layers": 2,
}
# Of halves, and of maps that begin at random; random weights are drawn.
DECIDED_BY_SEED = ("matched", "other_seed", "first", "first_inside", "n_standing", "stands")
DECIDED_BY_SEED += ("n_islands", "share_in_islands", "verdict", "verdict_inside", "information")
DECIDED_BY_SEED += ("information_inside", "adjusted_rand_index", "stability")
FAMILIES = {"source": "sources", "subject": "topics", "length": "lengths", "place": "places"}


def inputs(*, is_empty: bool) -> dict[str, Any]:
    read = planted("subject")
    return read | {"coordinates": read["coordinates"].iloc[:0]} if is_empty else read


def measured(label: str, seed: int = 0, **change: Any) -> Outcome:
    settings = settings_of(measure_text_islands, **FEW | change)
    return measure_text_islands(**planted(label, seed), **settings)


@cache
def measured_once(label: str) -> Outcome:
    return measured(label)


def trained(outcome: Outcome) -> pd.DataFrame:
    own = outcome["csv"]
    return own[(own["weights"] == "trained") & (own["method"] == "space") & (own["layer"] == 2)]


@pytest.mark.parametrize(("label", "family"), FAMILIES.items())
def test_islands_are_of_the_family_that_is_planted(label: str, family: str):
    own = trained(measured_once(label)).set_index("pooling")
    assert set(own["verdict"]) == {family}
    assert own.loc["cls", "n_standing"] == own.loc["cls", "n_islands"] > 1


def test_two_poles_at_unit_length_do_not_stand_for_a_gaussian_has_them():
    own = trained(measured_once("source")).set_index("pooling").loc["mean"]
    assert (own["n_islands"], own["n_standing"], own["null_n_islands"]) == (2, 0, 2)


def test_inside_the_sources_a_source_says_nothing():
    assert set(trained(measured_once("subject"))["verdict_inside"]) == {"topics"}
    assert set(trained(measured_once("source"))["verdict_inside"]) == {"undecided"}


def test_vectors_without_groups_have_no_island_that_stands():
    own = measured_once("nothing")["csv"].query("weights == 'trained'")
    assert not own["n_standing"].sum()
    assert not {*own["verdict"]} & {*FAMILIES.values()}


def test_random_weights_have_no_planted_family():
    own = measured_once("subject")["csv"]
    assert "topics" not in set(own.loc[own["weights"] == "random", "verdict"])


def test_vectors_that_are_equal_have_no_islands():
    own = measured_once("subject")["csv"].query("layer == 0 and weights == 'trained'")
    assert own["n_islands"].tolist() == [0, 0]
    assert set(own["verdict"]) == {"no islands"}


def test_an_island_has_its_subject_and_its_words():
    islands = measured_once("subject")["islands"].query("method == 'space' and pooling == 'mean'")
    assert len(islands) == 6
    assert (islands["subject_share"] == 1).all()
    for _, row in islands.iterrows():
        assert row["subject"].split()[1] in row["words"]


def test_islands_of_the_map_are_those_of_the_space():
    outcome = measured_once("subject")
    islands = outcome["islands"].query("method == 'tsne'")
    assert (islands["in_space"] > 0.9).all()
    assert len(outcome["parquet"]) == 96
    assert outcome["parquet"]["island_in_space"].value_counts()[1] == islands["n_texts"].max()
