from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from embspace.errors import InputError
from embspace.published.claims import decide
from embspace.published.evidence import Evidence, _difference
from embspace.published.sources import Claim
from embspace.published.subjects import Subject
from tests.verify.tree import put

SMALL = Subject("small", "maker/small")
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
        ("value > 1.4", "matches"),  # all of 1.5 to 2.5
        ("value > 1.9", "undecided"),
        ("value > 2.5", "differs"),
        ("value > 1 and value < 2", "undecided"),
        ("value > 1 and value < 1.5", "differs"),
        ("value > null_high", "matches"),
        ("value < null", "differs"),
        ("estimate > 1.9", "matches"),
        ("estimate > 1.9 and value > 1.9", "undecided"),
        ("low > 1.9", "differs"),
        ("value > null_low", "not checkable"),  # which the table lacks
    ],
)
def test_all_of_the_interval_must_fit_or_none_of_it(results: Path, holds_if: str, verdict: str):
    decision = decide(claim({"layer": 0, "space": "input"}, holds_if), SMALL, results)
    assert decision.verdict == verdict
    assert (decision.evidence.value, decision.evidence.low) == (2.0, 1.5)
    assert decision.evidence.basis == "interval and null"


def bare(value: str = "mean", **more: Any) -> dict[str, Any]:
    return {"file": FILE, "where": {"layer": 0}, "value": value, **more}


def claim_on(cell: dict[str, Any], holds_if: str, **more: Any) -> Claim:
    return Claim.model_validate(
        {
            "claim": "c",
            "section": "1",
            "page": 1,
            "statistic": "s",
            "cell": cell,
            "holds_if": holds_if,
            **more,
        }
    )


def test_a_bare_number_decides_nothing_unless_all_was_counted(results: Path):
    alone = decide(claim_on(bare(), "value > 1"), SMALL, results)
    assert (alone.verdict, alone.evidence.basis) == ("undecided", "")
    whole = decide(claim_on(bare(exact=True), "value > 1"), SMALL, results)
    assert (whole.verdict, whole.evidence.basis) == ("matches", "exact")


def test_a_p_value_is_its_own_null(results: Path):
    put("results/steps/small.csv", "layer,p_value_unrelated\n0,0.01\n")
    cell = bare("p_value_unrelated")
    decision = decide(claim_on(cell, "value < 0.05"), SMALL, results)
    assert (decision.verdict, decision.evidence.basis) == ("matches", "null")


def test_a_null_may_stand_in_another_row(results: Path):
    null = {"file": FILE, "where": {"layer": 1, "space": "input"}, "value": "mean"}
    decision = decide(claim_on(bare(), "value < null", null_of=null), SMALL, results)
    assert (decision.verdict, decision.evidence.null) == ("matches", 8.0)


def test_truth_is_a_number(results: Path):
    put("results/steps/small.csv", "layer,flat\n0,True\n1,False\n")
    other = bare("flat", where={"layer": 1}, exact=True)
    decision = decide(claim_on(bare("flat", exact=True), "value >= 1", minus=other), SMALL, results)
    assert (decision.verdict, decision.evidence.value) == ("matches", 1.0)


@pytest.mark.parametrize(
    ("other_rule", "verdict"),
    [
        ("value > 1.0", "matches"),
        ("value < 1.8", "depends on the rule"),
        ("value < null", "matches"),
    ],
)
def test_another_rule_with_another_verdict_is_said(results: Path, other_rule: str, verdict: str):
    """One that cannot be asked changes nothing."""
    cell = bare(exact=True) if "null" not in other_rule else bare(where={"layer": 9})
    other = {"cell": cell, "holds_if": other_rule, "why": "so others do"}
    decision = decide(claim_on(bare(exact=True), "value > 1.5", otherwise=[other]), SMALL, results)
    assert decision.verdict == verdict
    assert [outcome.asked_at for outcome in decision.outcomes] == ["the rule above", "so others do"]
    if verdict == "depends on the rule":
        assert decision.reason == "matches at the rule above; differs at so others do"


def at(setting: str, mean: float) -> str:
    return f"{setting},{mean}\n"


BY_SETTING = "perplexity,mean\n" + at("30", 0.9) + at("5", 0.8) + at("60", 0.4)


def by_setting(values: list[int], holds_if: str = "value > 0.5") -> Claim:
    cell = bare(where={"perplexity": 30}, exact=True)
    return claim_on(cell, holds_if, every={"perplexity": values})


def test_a_rule_is_asked_at_every_setting_its_own_first(results: Path):
    put("results/steps/small.csv", BY_SETTING)
    decision = decide(by_setting([]), SMALL, results)
    assert decision.verdict == "depends on the rule"
    assert decision.evidence.value == 0.9
    assert decision.reason == (
        "matches at perplexity 30 and perplexity 5; differs at perplexity 60"
    )
    assert decide(by_setting([5]), SMALL, results).verdict == "matches"
    assert decide(by_setting([], "value > 0.1"), SMALL, results).verdict == "matches"
    assert decide(by_setting([], "value > 1"), SMALL, results).verdict == "differs"


def test_a_setting_that_a_model_lacks_does_not_count(results: Path):
    put("results/steps/small.csv", BY_SETTING)
    assert decide(by_setting([5, 7]), SMALL, results).verdict == "matches"
    put("results/steps/small.csv", BY_SETTING.replace("30", "31"))
    absent = decide(by_setting([5, 7]), SMALL, results)
    assert (absent.verdict, absent.reason) == (
        "not checkable",
        "the results on steps have no row with perplexity 30",
    )


def test_a_setting_holds_in_every_cell_that_names_it(results: Path):
    put("results/steps/small.csv", BY_SETTING)
    same = by_setting([]).model_copy(
        update={"minus": by_setting([]).cell, "holds_if": "value >= 0"}
    )
    decision = decide(same, SMALL, results)
    assert [outcome.evidence.value for outcome in decision.outcomes] == [0, 0, 0]
    assert decision.verdict == "matches"


def test_what_varies_is_named_by_the_rule_itself():
    with pytest.raises(ValidationError, match="`every` varies 'perplexity'"):
        claim_on(bare(), "value > 0", every={"perplexity": []})


def test_a_comparator_varies_alone(results: Path):
    put("results/steps/small.csv", "group,mean\nnoise,0.6\nsoup,0.2\nboss,0.7\nferry,0.1\n")
    own = bare(where={"group": "noise"}, exact=True)
    others = bare(where={}, exact=True, every={"group": ["soup", "boss", "ferry"]})
    decision = decide(claim_on(own, "value > 0", minus=others), SMALL, results)
    assert decision.verdict == "depends on the rule"
    assert decision.reason == "matches at group soup and group ferry; differs at group boss"
    assert decision.evidence.value == pytest.approx(0.4)


def test_where_many_agree_they_are_counted(results: Path):
    rows = "".join(at(str(number), 0.9) for number in range(30, 40)) + at("60", 0.1)
    put("results/steps/small.csv", "perplexity,mean\n" + rows)
    reason = decide(by_setting([]), SMALL, results).reason
    assert reason == "matches at 10 of 11; differs at perplexity 60"


def claim_on_two(operation: str, holds_if: str = "value > 1") -> Claim:
    other = {"file": FILE, "where": {"layer": 0}, "value": "mean"}
    other |= {"low": "mean_low", "high": "mean_high"}
    return claim({"layer": 1, "space": "input"}, holds_if, **{operation: other})


def test_a_difference_has_the_interval_of_two_independent_estimates(results: Path):
    evidence = decide(claim_on_two("minus"), SMALL, results).evidence
    assert (evidence.value, evidence.basis) == (6.0, "interval")
    # 8 (7 to 9) less 2 (1.5 to 2.5): the half-widths, 1 and .5, add up as those of deviations do.
    assert evidence.high - 6 == 6 - evidence.low == pytest.approx(np.hypot(1, 0.5))


def test_the_interval_of_a_difference_covers_it() -> None:
    """Of means of normal numbers, whose 95 % intervals are known, in 95 % of 4,000 trials."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(3, 1, 4000), rng.normal(1, 2, 4000)
    intervals = [
        _difference(Evidence(a, a - 1.96, a + 1.96), Evidence(b, b - 3.92, b + 3.92))
        for a, b in zip(x, y, strict=True)
    ]
    covered = np.mean([interval.low < 2 < interval.high for interval in intervals])
    assert covered == pytest.approx(0.95, abs=0.015)


def test_the_interval_of_a_ratio_is_that_of_the_logarithms(results: Path):
    evidence = decide(claim_on_two("over"), SMALL, results).evidence
    assert evidence.value == 4.0
    wide = np.hypot(np.log(8 / 7), np.log(2.5 / 2))
    assert evidence.low == pytest.approx(4 * np.exp(-wide))
    put("results/steps/small.csv", TABLE.replace("2.0,1.5,2.5", "2.0,-1.5,2.5"))
    assert decide(claim_on_two("over"), SMALL, results).verdict == "undecided"
    put("results/steps/small.csv", TABLE.replace("2.0,1.5,2.5", "0.0,-1.5,2.5"))
    assert (
        decide(claim_on_two("over"), SMALL, results).reason == "the statistic is not defined here"
    )


def test_a_claim_about_one_model_waits_for_it(results: Path):
    about_large = claim({"layer": 0}, "value > 1", model="maker/large")
    decision = decide(about_large, SMALL, results)
    assert (decision.verdict, decision.reason) == ("not checkable", "waits for maker/large")
    assert decision.evidence.value == 2.0
    put("results/steps/mine.csv", TABLE)
    under_another_name = Subject("mine", "maker/large")
    assert decide(about_large, under_another_name, results).verdict == "matches"


def test_an_interval_that_is_not_there_decides_nothing(results: Path):
    where = {"space": "positional"}
    assert decide(claim(where, "low > 0"), SMALL, results).verdict == "undecided"


def test_what_is_missing_is_said(results: Path):
    absent = decide(claim({"layer": 7}, "value > 1"), SMALL, results)
    assert (absent.verdict, absent.reason) == (
        "not checkable",
        "the results on steps have no row with layer 7",
    )
    other = decide(claim({"layer": 0}, "value > 1"), Subject("other", None), results)
    assert other.reason == "there are no results on steps, results/steps/other.csv is not there"


def test_rows_that_differ_and_columns_that_lack_are_errors(results: Path):
    with pytest.raises(InputError, match="2 rows fit"):
        decide(claim({"layer": 1}, "value > 1"), SMALL, results)
    put("results/steps/small.csv", TABLE.replace("mean_low", "lowest"))
    with pytest.raises(InputError, match="no column 'mean_low'"):
        decide(claim({"layer": 0}, "value > 1"), SMALL, results)


@pytest.mark.parametrize("rule", ["value is large", "value > x", "p > 1", "value > 1 or value < 0"])
def test_a_rule_that_is_none_is_refused(rule: str):
    with pytest.raises(ValidationError, match="is no rule"):
        claim({}, rule)


def test_two_operations_at_once_are_refused():
    other = {"file": FILE, "value": "mean"}
    with pytest.raises(ValidationError, match="exclude each other"):
        claim({}, "value > 1", minus=other, over=other)


def named(values: list[str], **more: Any) -> dict[str, Any]:
    where = {"order": "smallest"}
    share = {"columns": ["token_1", "token_2"], "values": values}
    return {"file": "results/pairs/{model}.csv", "where": where, "share_of": share, **more}


def test_a_claim_may_be_about_the_share_of_rows_that_name_something(results: Path):
    rows = "smallest,and,vols\nsmallest,cat,the\nsmallest,cat,dog\nlargest,and,the\n"
    put("results/pairs/small.csv", "order,token_1,token_2\n" + rows)
    decision = decide(claim_on(named(["and", "the"], exact=True), "value > 0.5"), SMALL, results)
    assert (decision.verdict, decision.evidence.basis) == ("matches", "exact")
    assert decision.evidence.value == pytest.approx(2 / 3)
    assert decide(claim_on(named(["dog"], exact=True), "value > 0.5"), SMALL, results).verdict == (
        "differs"
    )
    assert decide(claim_on(named(["and"]), "value > 0"), SMALL, results).verdict == "undecided"


def test_a_share_needs_its_columns(results: Path):
    put("results/pairs/small.csv", "order,token_1\nsmallest,and\n")
    with pytest.raises(InputError, match=r"small\.csv: has no column 'token_2'"):
        decide(claim_on(named(["and"]), "value > 0"), SMALL, results)


@pytest.mark.parametrize("cell", [named(["and"], value="mean"), {"file": FILE, "where": {}}])
def test_a_cell_is_a_value_or_a_share(cell: dict[str, Any]):
    with pytest.raises(ValidationError, match="either `value` or `share_of`"):
        claim_on(cell, "value > 0")


@pytest.mark.parametrize(
    ("row", "verdict", "reason"),
    [
        ("0.5,0.4,0.6,0.001,0.02", "matches", ""),
        (
            "0.5,0.4,0.6,0.01,0.2",
            "undecided",
            "chance does as much, q 0.2, by all tests of the table",
        ),
        ("0.5,-0.1,0.6,0.001,0.02", "undecided", "the interval has values of both kinds"),
        ("-0.5,-0.6,-0.4,0.001,0.02", "differs", ""),
        ("-0.5,-0.6,-0.4,0.2,0.5", "differs", ""),
    ],
)
def test_a_direction_counts_only_if_no_chance_of_all_tests_gives_it(
    results: Path, row: str, verdict: str, reason: str
):
    put("results/steps/small.csv", f"layer,cosine,low,high,p_value,q_value\n0,{row}\n")
    names = {"low": "low", "high": "high", "p_value": "p_value", "q_value": "q_value"}
    both = claim_on(bare("cosine", **names), "value > 0 and q_value < 0.05")
    decision = decide(both, SMALL, results)
    assert (decision.verdict, decision.reason) == (verdict, reason)
    assert decision.evidence.basis == "interval and null"


def test_a_test_that_rejects_is_no_reason_to_differ():
    with pytest.raises(ValidationError, match="is no rule: 'q_value > 0.05'"):
        claim_on(bare(), "q_value > 0.05")


@pytest.mark.parametrize(
    ("value", "holds_if", "verdict"),
    [
        (0.5, "value > null_high", "undecided"),
        (0.5, "value < null_low", "undecided"),
        (0.5, "value > null_high and value > 0.9", "differs"),
        (0.7, "value > null_high", "matches"),
        (0.3, "value > null_high", "differs"),
        (0.5, "value <= null_high", "matches"),
    ],
)
def test_a_number_in_the_range_of_its_null_says_nothing(
    results: Path, value: float, holds_if: str, verdict: str
):
    put("results/steps/small.csv", f"layer,cosine,low,high\n0,{value},0.4,0.6\n")
    names = {"null_low": "low", "null_high": "high"}
    decision = decide(claim_on(bare("cosine", **names), holds_if), SMALL, results)
    assert decision.verdict == verdict
    assert decision.reason.startswith("chance does as much") == (verdict == "undecided")


def test_the_hash_of_a_rule_changes_with_what_decides_alone():
    claim = claim_on(bare(), "value > 0.5")
    words = claim.model_copy(update={"claim": "other words", "statistic": "t", "note": "n"})
    assert words.rule_hash == claim.rule_hash
    others = [
        claim_on(bare(), "value > 0.6"),
        claim_on(bare("cosine"), "value > 0.5"),
        claim_on(bare(), "value > 0.5", every={"layer": []}),
        claim_on(bare(), "value > 0.5", minus=bare("cosine")),
        claim_on(
            bare(), "value > 0.5", otherwise=[{"cell": bare(), "holds_if": "value > 0", "why": "w"}]
        ),
    ]
    assert len({claim.rule_hash, *(other.rule_hash for other in others)}) == 6
