"""Holds the ends of intervals to the ranges that measures declare."""

import re
from dataclasses import replace
from math import inf, isnan, nan

import pytest

from embspace.geometry.inference.half_samples import TextEstimate
from embspace.geometry.measures.registry import profiled_measures
from embspace.measure.layers.layer_limits import LIMITS, within_range

WIDE = TextEstimate(
    value=0.5,
    low=-0.081,
    high=1.182,
    standard_error=0.3,
    n=40,
    n_texts=4,
    dropped=0,
    of_half=0.4,
    converged=True,
)
FAMILIES = ("spectrum", "intrinsic_dimension", "hubs")


def declared(measure: str) -> tuple[float, float]:
    """The ends of the range of a measure that are numbers; 0 for what is small, above it."""
    text = profiled_measures()[measure].range
    least, most = re.match(r"[\[(](\d+),|[\[(](1/|e\^)", text), re.search(r",\\ (\d+)[\])]$", text)
    return float(least[1] or 0) if least else -inf, float(most[1]) if most else inf


def test_the_limits_are_those_that_measures_of_these_families_declare():
    measures = profiled_measures()
    found = {name: declared(name) for name in measures if measures[name].family in FAMILIES}
    assert {name: ends for name, ends in found.items() if ends != (-inf, inf)} == LIMITS


@pytest.mark.parametrize(
    ("measure", "low", "high"),
    [
        ("top_variance_share", 0, 1),
        ("two_nn", 0, 1.182),
        ("participation_ratio", 1, 1.182),
        ("hubness", -0.081, 1.182),
    ],
)
def test_an_interval_ends_where_its_measure_ends(measure: str, low: float, high: float):
    assert within_range(WIDE, measure) == replace(WIDE, low=low, high=high)


def test_an_interval_within_the_range_stays_and_none_stays_none():
    narrow = replace(WIDE, low=0.4, high=0.6)
    assert within_range(narrow, "top_variance_share") == narrow
    none = within_range(replace(WIDE, low=nan, high=nan), "top_variance_share")
    assert isnan(none.low) and isnan(none.high)
