"""Holds the measures of direction of layers to their vectors, settings and random weights."""

from functools import cache
from typing import Any

import pytest

from embspace.analysis import Outcome
from embspace.geometry import mean_cosine
from embspace.geometry.measures.registry import profiled_measures
from embspace.measure.layers.direction import measure_direction
from tests.analyses import settings_of
from tests.measure.layer_corpora import DECIDED_BY_SEED as DECIDED_BY_SEED
from tests.measure.layer_corpora import (
    EMPTY,
    FEW,
    corpus,
    processes,
    random_weights,
    three_corpora,
    vectors,
)

RANDOM = random_weights("mean_cosine")


def inputs(*, is_empty: bool) -> dict[str, Any]:
    corpora = {} if is_empty else {"many": corpus(9)}
    return {"corpora": corpora, "random_weights": EMPTY if is_empty else RANDOM}


@cache
def measured(**change: Any) -> Outcome:
    settings = settings_of(measure_direction, **FEW | change)
    with processes(1):
        return measure_direction(three_corpora(), RANDOM, **settings)


def test_every_measure_of_direction_and_no_other():
    names = {name for name, measure in profiled_measures().items() if measure.family == "direction"}
    assert set(measured()["profiles"]["measure"]) == names


def test_a_small_corpus_is_left_out():
    assert set(measured()["profiles"]["corpus"]) == {"many", "pooled"}
    larger = measured(fewest_documents=10)
    assert set(larger["profiles"]["corpus"]) == {"many"}


def test_changes_are_those_of_the_settings():
    expected = set(settings_of(measure_direction)["changes"])
    assert set(measured()["profiles"]["change"]) == expected


def test_random_weights_are_a_null_among_others():
    nulls = measured()["nulls"]
    [row] = nulls[nulls["null"] == "shuffled_entries"].to_dict("records")
    assert (row["measure"], row["n_draws"], row["null_mean"]) == ("mean_cosine", 2, 0.25)
    assert row["value"] == pytest.approx(mean_cosine(vectors("many", layer=1).x))
    assert set(nulls["null"]) == {"isotropic_gaussian", "shuffled_entries"}


def test_every_layer_has_its_interval():
    rows = measured()["profiles"].query("change == 'as_is' and measure == 'mean_cosine'")
    assert (rows["low"] < rows["value"]).all() and (rows["value"] < rows["high"]).all()
    assert rows["n_batches"].isna().all()
