import math
from pathlib import Path

from embspace.published.numbers import Check, SourceReport
from embspace.verify.compare import Comparison, Fact
from embspace.verify.drift import Drift, FileReport
from embspace.verify.failures import count_drift, count_from_git, count_published

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
