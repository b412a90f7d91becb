import math
from pathlib import Path

import pytest

from embspace.published.numbers import Check, SourceReport
from embspace.verify.compare import Comparison, Fact
from embspace.verify.drift import Drift, FileReport
from embspace.verify.failures import (
    Outcome,
    count_drift,
    count_from_git,
    count_published,
    outcome_of,
)

FACT = Fact((), "mean", "1", "2", "exact", math.inf)
DRIFT = Drift(
    files=(
        FileReport(Path("a/x.csv"), "DRIFTED", Comparison(9, math.inf, (FACT, FACT)), True),
        FileReport(Path("b/x.csv"), "agrees", Comparison(9, 0.5, ()), False),
        FileReport(Path("c/x.csv"), "MISSING", None, None),
        FileReport(Path("d/x.csv"), "EXTRA", None, True),
        FileReport(Path("a/y.csv"), "no baseline", None, False),
    ),
    without_baseline=("y",),
    without_results=("z",),
)


def test_against_the_baselines():
    assert list(count_drift(DRIFT).values()) == [2, 1, 1, 1]


def test_nothing_drifted():
    fine = Drift(DRIFT.files[1:2] + DRIFT.files[4:], ("y",), ())
    assert not any(count_drift(fine).values())


def test_against_published_numbers():
    checks = [
        Check("q", "1", "1", verdict) for verdict in ("agrees", "DIFFERS", "DIFFERS", "MISSING")
    ]
    source = SourceReport("a paper", tuple(checks), {"large": 5})
    assert list(count_published([source]).values()) == [2, 1]


def test_what_git_brought():
    assert list(count_from_git(DRIFT).values()) == [2]


@pytest.mark.parametrize(
    ("failures", "outcome"),
    [
        ({"missing results": 0}, Outcome.PASSED),
        ({"missing results": 2, "published numbers not found": 1}, Outcome.NOT_COMPUTED),
        ({"models without results": 1, "facts beyond tolerance": 0}, Outcome.NOT_COMPUTED),
        ({"missing results": 2, "facts beyond tolerance": 1}, Outcome.DRIFTED),
        ({"missing results": 2, "results from git": 1}, Outcome.DRIFTED),
        ({"published numbers not found": 1}, Outcome.DRIFTED),  # all results are there
    ],
)
def test_what_is_not_computed_yet_has_not_drifted(failures: dict[str, int], outcome: Outcome):
    assert outcome_of(failures) is outcome


def test_outcomes_are_exit_codes_beside_that_of_a_wrong_option():
    assert [int(outcome) for outcome in Outcome] == [0, 1, 3]
