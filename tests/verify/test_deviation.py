import math

import pytest

from embspace.verify.deviation import LIMIT, deviation, number
from embspace.verify.rules import Kind

EXACT = Kind(exact=True, reason="how many")
RELATIVE = Kind(relative=1e-4, reason="rounding")
ABSOLUTE = Kind(absolute=1e-3, reason="rounding")
FREE = Kind(free=True, reason="what it follows from is guarded")
BOTH = Kind(relative=1e-4, absolute=1e-6, reason="rounding")


@pytest.mark.parametrize(
    ("kind", "baseline", "inside", "outside"),
    [
        (EXACT, "3", "3", "4"),
        (EXACT, "the", "the", "The"),
        (EXACT, "01", "01", "1"),
        (EXACT, "nan", "nan", "NaN"),  # words
        (RELATIVE, "2", "2.0002", "2.00021"),
        (RELATIVE, "-2", "-2.0002", "-2.00021"),
        (RELATIVE, "1e-9", "1.0001e-9", "1.0002e-9"),
        (RELATIVE, "0", "0", "1e-30"),
        (ABSOLUTE, "0", "0.001", "0.00101"),
        (ABSOLUTE, "1000", "999.999", "999.998"),
        (BOTH, "0.001", "0.001001", "0.0010011"),  # the floor
        (BOTH, "100", "100.01", "100.011"),
        (BOTH, "", "", "0"),  # NaN equals NaN and nothing else
        (BOTH, "0", "0", ""),
        (BOTH, "inf", "inf", "-inf"),
        (BOTH, 0.5, 0.5, None),
        (BOTH, None, None, 0.5),
        (BOTH, 1.0, 1.0001, "many"),
        (BOTH, True, True, 1.1),
    ],
)
def test_just_inside_and_just_outside(kind: Kind, baseline, inside, outside):
    assert deviation(baseline, inside, kind) <= LIMIT
    assert not deviation(baseline, outside, kind) <= LIMIT


def test_it_is_a_share_of_what_is_allowed():
    assert deviation("2", "2.0001", RELATIVE) == pytest.approx(0.5)
    assert deviation("2", "2.0001", EXACT) == math.inf


def test_nan_of_json_and_of_csv_are_one():
    assert deviation(float("nan"), None, BOTH) == 0


@pytest.mark.parametrize(("cell", "value"), [("1.5", 1.5), (2, 2.0), ("the", None), (True, None)])
def test_number(cell, value):
    assert number(cell) == value
    assert math.isnan(number("") or 0.0)


@pytest.mark.parametrize("ours", ["matches", "differs", "1", "", None])
def test_what_is_free_may_be_anything(ours):
    assert deviation("matches", ours, FREE) == 0
