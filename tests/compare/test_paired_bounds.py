"""Holds paired bounds to their definition; `test_measures` holds them to tables of results."""

import numpy as np
import pandas as pd
import pytest

from embspace.compare.paired_bounds import (
    BOUNDS,
    FEW_UNITS,
    NO_UNITS,
    OF_HALVES,
    OTHER_HALVES,
    OTHER_UNITS,
    POPULATION,
    paired_bounds,
)


def halves(*deviations: np.ndarray, units: str = "same", n: int = 20) -> pd.DataFrame:
    return pd.DataFrame([(n, units, deviation) for deviation in deviations], columns=OF_HALVES)


def test_bounds_are_quantiles_of_the_deviations_that_both_have_less_each_other():
    generator = np.random.default_rng(0)
    one, other = generator.normal(size=(2, 999))
    bounds = paired_bounds(pd.Series([0.5]), halves(one), halves(other), level=0.9).iloc[0]
    high, low = np.quantile(one - other, [0.05, 0.95])
    assert bounds["difference_low"] == pytest.approx(0.5 - low)
    assert bounds["difference_high"] == pytest.approx(0.5 - high)
    assert bounds["n_paired"] == 20
    assert bounds["no_bounds"] is None or pd.isna(bounds["no_bounds"])


def test_what_halves_do_to_both_models_cancels():
    shared = np.random.default_rng(0).normal(size=99)
    bounds = paired_bounds(pd.Series([2.0]), halves(shared), halves(shared), level=0.95).iloc[0]
    assert (bounds["difference_low"], bounds["difference_high"]) == (2.0, 2.0)


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (halves(np.zeros(9), units="another"), OTHER_UNITS),
        (halves(np.zeros(8)), OTHER_HALVES),
        (pd.DataFrame([(np.nan, np.nan, np.nan)], columns=OF_HALVES), NO_UNITS),
    ],
)
def test_what_does_not_go_together_has_no_bounds_and_a_reason(other: pd.DataFrame, reason: str):
    bounds = paired_bounds(pd.Series([1.0]), halves(np.zeros(9)), other, level=0.95)
    assert bounds["no_bounds"].tolist() == [reason]
    assert bounds[BOUNDS[:3]].isna().all(axis=None)


def test_no_half_of_fewer_than_four_units():
    none = halves(np.empty(0), n=3)
    bounds = paired_bounds(pd.Series([1.0]), none, none, level=0.95)
    assert bounds["no_bounds"].tolist() == [FEW_UNITS]


def test_a_population_has_no_halves_and_a_missing_difference_no_reason():
    bounds = paired_bounds(pd.Series([1.0, np.nan]), level=0.95)
    assert bounds["no_bounds"].iloc[0] == POPULATION
    assert pd.isna(bounds["no_bounds"].iloc[1])
