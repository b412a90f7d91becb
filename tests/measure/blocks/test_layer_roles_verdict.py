from typing import Any

import pytest

from embspace.measure.blocks.layer_roles_verdict import Evidence, verdict_of

RULE: dict[str, Any] = {"largest_p_value": 0.05}
SURE = Evidence(0.9, 0.8, 1.0, -0.2, 0.3, 0.01)


def verdict(sign: str, found: Evidence = SURE, **changed: float) -> str:
    return verdict_of(found._replace(**changed), sign, **RULE)["verdict"]


def mirrored(found: Evidence) -> Evidence:
    """The same of a statistic that falls."""
    ends = {"low": -found.high, "high": -found.low}
    random = {"random_smallest": -found.random_largest, "random_largest": -found.random_smallest}
    return found._replace(value=-found.value, **ends, **random)


def test_a_sure_correlation_of_the_sign_matches():
    assert verdict("+") == verdict("either") == "matches"
    assert verdict("-", mirrored(SURE)) == verdict("either", mirrored(SURE)) == "matches"


def test_a_sure_correlation_of_the_other_sign_differs():
    assert verdict("-") == "differs"
    assert verdict("+", mirrored(SURE)) == "differs"


def test_a_p_value_of_what_is_allowed_is_allowed():
    assert verdict("+", p_value=0.05) == "matches"
    assert verdict("-", p_value=0.05) == "differs"


@pytest.mark.parametrize(
    "changed",
    [{"low": -0.1}, {"p_value": 0.06}, {"random_largest": 0.95}],
)
def test_each_part_of_the_rule_is_asked(changed: dict[str, float]):
    assert verdict("+", **changed) == "undecided"
    assert verdict("either", **changed) == "undecided"


def test_random_weights_count_on_the_side_of_the_sign():
    assert verdict("+", random_smallest=-1.0) == "matches"
    assert verdict("-", mirrored(SURE), random_smallest=-1.0) == "undecided"


@pytest.mark.parametrize("changed", [{"low": -0.1}, {"p_value": 0.06}, {"value": -0.1}])
def test_the_other_side_is_asked_for_evidence_too(changed: dict[str, float]):
    assert verdict("-", **changed) == "undecided"


def test_random_weights_do_not_keep_the_other_side_from_differing():
    assert verdict("-", random_largest=1.0) == "differs"


@pytest.mark.parametrize(
    "near",
    [
        Evidence(0.1, -0.3, 0.4, -0.2, 0.3, 0.8),
        Evidence(-0.26, -0.26, -0.26, -0.2, 0.3, 0.66),  # the same in every half of the texts
    ],
)
def test_a_correlation_near_zero_is_undecided(near: Evidence):
    assert {verdict(sign, near) for sign in ("+", "-", "either")} == {"undecided"}


def test_what_is_not_defined_is_undecided():
    nothing = Evidence(*[float("nan")] * 6)
    assert {verdict(sign, nothing) for sign in ("+", "-", "either")} == {"undecided"}


def test_the_rule_is_said():
    said = verdict_of(SURE, "-", **RULE)["holds_if"]
    assert said == "value < 0, so is its interval, p <= 0.05, beyond all random weights"
