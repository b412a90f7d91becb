"""Holds the measures of the spectrum of layers to their vectors, settings and random weights."""

from functools import cache
from typing import Any, get_args

import pytest

from embspace.analysis import Outcome
from embspace.clouds.layers import Change
from embspace.geometry import effective_rank
from embspace.geometry.measures.registry import profiled_measures
from embspace.measure.layers.spectrum import measure_spectrum
from tests.analyses import settings_of
from tests.geometry.clouds import UNDEFINED
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

RANDOM = random_weights("effective_rank")


def inputs(*, is_empty: bool) -> dict[str, Any]:
    corpora = {} if is_empty else {"many": corpus(9, n_layers=1)}
    return {"corpora": corpora, "random_weights": EMPTY if is_empty else RANDOM}


@cache
def measured(**change: Any) -> Outcome:
    settings = settings_of(measure_spectrum, **FEW | change)
    corpora = {"many": three_corpora()["many"]}
    with processes(1):
        return measure_spectrum(corpora, RANDOM, **settings)


def test_every_measure_of_the_spectrum_of_one_cloud_and_no_other():
    names = {name for name, measure in profiled_measures().items() if measure.family == "spectrum"}
    assert set(measured()["profiles"]["measure"]) == names - {"iso_score_star"}  # of two clouds


def test_every_change_is_made():
    assert set(measured()["profiles"]["change"]) == {*get_args(Change)}


def test_slow_measures_have_values_of_unchanged_vectors_alone():
    rows = measured()["profiles"]
    slow_ones = settings_of(measure_spectrum)["value_only"]
    slow = rows[rows["measure"].isin(slow_ones)]
    assert set(slow["measure"]) == set(slow_ones)
    assert set(slow["change"]) == {"as_is"}
    assert slow["value"].notna().all() and slow[["low", "high"]].isna().all(axis=None)
    others = rows.drop(slow.index).query("change == 'as_is'")
    assert others[~others["measure"].isin(UNDEFINED)]["low"].notna().mean() > 0.9


def test_fewer_components_are_taken_away_on_demand():
    # Of 6 dimensions 2 are left after 4, 5 after 1.
    query = "change == 'all_but_the_top' and measure == 'effective_rank' and space == 'token'"
    rows = measured()["profiles"]
    assert (rows.query(query)["value"] < 2.01).all()
    one = measured(n_top=1)["profiles"].query(query)["value"]
    assert one.between(3, 5.01).all()
    whitened = rows.query("change == 'whitened' and measure == 'participation_ratio'")
    assert whitened["value"].to_numpy() == pytest.approx(6, rel=1e-3)


def test_random_weights_are_a_null_among_others():
    nulls = measured()["nulls"]
    [row] = nulls[nulls["null"] == "shuffled_entries"].to_dict("records")
    assert (row["measure"], row["n_draws"], row["null_mean"]) == ("effective_rank", 2, 0.25)
    assert row["value"] == pytest.approx(effective_rank(vectors("many", layer=1).x))


def test_only_the_share_of_the_first_axis_is_repeated_over_batches():
    rows = measured()["profiles"]
    in_order = (rows["measure"] == "top_variance_share") & (rows["change"] == "as_is")
    assert rows["n_batches"].notna().equals(in_order)
