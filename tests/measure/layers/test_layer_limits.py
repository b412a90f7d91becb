"""Holds the ends of intervals to the ranges that measures declare."""

import re
from dataclasses import replace
from math import inf, isnan, nan, pi

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
# What a range starts with where that depends on the number of vectors.
LEAST = {"1/": 0.0, "e^": 0.0, "-1/": -1.0}
MOST = {r"\pi": pi}


def declared(measure: str) -> tuple[float, float]:
    """The ends of the range of a measure that are numbers, or the next number beyond them."""
    text = profiled_measures()[measure].range
    least = re.match(r"[\[(](-?1/|e\^|-?\d+)", text)
    most = re.search(r",\\ (\d+|\\pi)[\])](:|$)", text)
    low = float(LEAST.get(least[1], least[1])) if least else -inf
    return low, float(MOST.get(most[1], most[1])) if most else inf


def test_the_limits_are_those_that_the_measures_declare():
    limits = {name: declared(name) for name in profiled_measures()}
    del limits["top_dimension_share"]  # of what may be negative
    assert {name: ends for name, ends in limits.items() if ends != (-inf, inf)} == LIMITS


@pytest.mark.parametrize(
    ("measure", "low", "high"),
    [
        ("top_variance_share", 0, 1),
        ("two_nn", 0, 1.182),
        ("participation_ratio", 1, 1.182),
        ("hubness", -0.081, 1.182),
        ("n_outlier_dimensions", 0, 1.182),
        ("self_similarity", -0.081, 1),
    ],
)
def test_an_interval_ends_where_its_measure_ends(measure: str, low: float, high: float):
    assert within_range(WIDE, measure) == replace(WIDE, low=low, high=high)


def test_an_interval_within_the_range_stays_and_none_stays_none():
    narrow = replace(WIDE, low=0.4, high=0.6)
    assert within_range(narrow, "top_variance_share") == narrow
    none = within_range(replace(WIDE, low=nan, high=nan), "top_variance_share")
    assert isnan(none.low) and isnan(none.high)
