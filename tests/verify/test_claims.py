from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from embspace.errors import InputError
from embspace.verify.claims import decide
from embspace.verify.sources import Claim
from tests.verify.tree import put

FILE = "results/steps/{model}.csv"
TABLE = (
    "layer,space,mean,mean_low,mean_high,null_mean,null_mean_high\n"
    "0,input,2.0,1.5,2.5,1.0,1.2\n"
    "1,input,8.0,7.0,9.0,1.0,1.2\n"
    "1,positional,0.5,,,,\n"
)


def claim(where: dict[str, Any], holds_if: str, **more: Any) -> Claim:
    cell = {
        "file": FILE,
        "where": where,
        "value": "mean",
        "low": "mean_low",
        "high": "mean_high",
        "null": "null_mean",
        "null_high": "null_mean_high",
    }
    return Claim(
        claim="steps are long",
        section="4.3",
        page=70,
        statistic="mean step",
        cell=cell,
        holds_if=holds_if,
        **more,
    )


@pytest.fixture
def results(tree: Path) -> Path:
    put("results/steps/small.csv", TABLE)
    return Path("results")


@pytest.mark.parametrize(
    ("holds_if", "verdict"),
    [
        ("value > 1.9", "matches"),
        ("value > 2", "differs"),
        ("value >= 2 and high <= 2.5", "matches"),
        ("value >= 2 and high < 2.5", "differs"),
        ("low > null_high", "matches"),
        ("value < null", "differs"),
        ("value > -3", "matches"),
        ("value > null_low", "cannot be had"),
    ],
)
def test_the_rule_decides(results: Path, holds_if: str, verdict: str):
    decision = decide(claim({"layer": 0, "space": "input"}, holds_if), "small", results)
    assert decision.verdict == verdict
    assert decision.evidence.value == 2.0
    assert decision.evidence.low == 1.5


def test_the_last_layer_is_the_largest_of_the_table(results: Path):
    decision = decide(claim({"layer": "last", "space": "input"}, "value > 1"), "small", results)
    assert decision.evidence.value == 8.0
    before = decide(claim({"layer": "last-1", "space": "input"}, "value > 1"), "small", results)
    assert before.evidence.value == 2.0


def test_a_key_that_a_model_has_not_is_said(results: Path):
    # A model without segments has no such key; a table without the column is a mistake.
    put("results/facts/small.json", '{"norm": 1.5}')
    there, absent = (
        Claim(
            claim="c",
            section="4.2",
            page=1,
            statistic="s",
            cell={"file": "results/facts/{model}.json", "value": key},
            holds_if="value > 1",
        )
        for key in ("norm", "segment.norm")
    )
    assert decide(there, "small", results).verdict == "matches"
    assert (
        decide(absent, "small", results).reason == "results/facts/small.json has no 'segment.norm'"
    )


@pytest.mark.parametrize(("operation", "value"), [("over", 4.0), ("minus", 6.0)])
def test_two_cells_make_one_value_without_an_interval(results: Path, operation: str, value: float):
    other = {operation: {"file": FILE, "where": {"layer": 0}, "value": "mean"}}
    decision = decide(claim({"layer": 1, "space": "input"}, "value > 1", **other), "small", results)
    assert decision.evidence.value == value
    assert decision.evidence.low != decision.evidence.low  # NaN


def test_a_claim_about_one_model_waits_for_it(results: Path):
    about_large = claim({"layer": 0}, "value > 1", model="large")
    decision = decide(about_large, "small", results)
    assert (decision.verdict, decision.reason) == ("cannot be had", "waits for large")
    assert decision.evidence.value == 2.0
    lacking = decide(about_large.model_copy(update={"model": "huge"}), "large", results)
    assert lacking.reason == "waits for huge"
    put("results/steps/large.csv", TABLE)
    assert decide(about_large, "large", results).verdict == "matches"


def test_an_interval_that_is_not_there_decides_nothing(results: Path):
    where = {"space": "positional"}
    assert decide(claim(where, "value < 1"), "small", results).verdict == "matches"
    assert decide(claim(where, "low > 0"), "small", results).verdict == "cannot be had"


def test_what_is_missing_is_said(results: Path):
    absent = decide(claim({"layer": 7}, "value > 1"), "small", results)
    assert (absent.verdict, absent.reason) == (
        "cannot be had",
        "results/steps/small.csv has no such row",
    )
    other = decide(claim({"layer": 0}, "value > 1"), "other", results)
    assert other.reason == "results/steps/other.csv is not there"


def test_rows_that_differ_and_columns_that_lack_are_errors(results: Path):
    with pytest.raises(InputError, match="2 rows fit"):
        decide(claim({"layer": 1}, "value > 1"), "small", results)
    put("results/steps/small.csv", TABLE.replace("mean_low", "lowest"))
    with pytest.raises(InputError, match="no column 'mean_low'"):
        decide(claim({"layer": 0}, "value > 1"), "small", results)


@pytest.mark.parametrize("rule", ["value is large", "value > x", "p > 1", "value > 1 or value < 0"])
def test_a_rule_that_is_none_is_refused(rule: str):
    with pytest.raises(ValidationError, match="is no rule"):
        claim({}, rule)


def test_two_operations_at_once_are_refused():
    other = {"file": FILE, "value": "mean"}
    with pytest.raises(ValidationError, match="exclude each other"):
        claim({}, "value > 1", minus=other, over=other)
