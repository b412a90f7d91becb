import pytest

from embspace.measure.blocks.layer_roles_verdict import verdict_of

SMALLEST, LARGEST = "random_weights_smallest", "random_weights_largest"
COLUMNS = ("value", "low", "high", SMALLEST, LARGEST, "p_value")
Claim = dict[str, float]


def claim(*numbers: float) -> Claim:
    return dict(zip(COLUMNS, numbers, strict=True))


SURE = claim(0.9, 0.8, 1.0, -0.2, 0.3, 0.01)


def verdict(sign: str, given: Claim = SURE, **changed: float) -> str:
    return verdict_of(given | changed, sign, largest_p_value=0.05)["verdict"]


def mirrored(rising: Claim) -> Claim:
    """The claim of a statistic that falls as another one rises."""
    value, low, high, smallest, largest, p_value = rising.values()
    return claim(-value, -high, -low, -largest, -smallest, p_value)


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
    [{"low": -0.1}, {"p_value": 0.06}, {LARGEST: 0.95}],
)
def test_each_part_of_the_rule_is_asked(changed: dict[str, float]):
    assert verdict("+", **changed) == "undecided"
    assert verdict("either", **changed) == "undecided"


def test_random_weights_count_on_the_side_of_the_correlation():
    assert verdict("+", **{SMALLEST: -1.0}) == "matches"
    assert verdict("-", mirrored(SURE), **{SMALLEST: -1.0}) == "undecided"
    assert verdict("-", **{SMALLEST: -1.0}) == "differs"
    assert verdict("-", **{LARGEST: 0.95}) == "undecided"


@pytest.mark.parametrize("changed", [{"low": -0.1}, {"p_value": 0.06}, {"value": -0.1}])
def test_the_other_side_is_asked_for_evidence_too(changed: dict[str, float]):
    assert verdict("-", **changed) == "undecided"


@pytest.mark.parametrize(
    "near",
    [
        claim(0.1, -0.3, 0.4, -0.2, 0.3, 0.8),
        claim(-0.26, -0.26, -0.26, -0.2, 0.3, 0.66),  # the same in every half of the texts
    ],
)
def test_a_correlation_near_zero_is_undecided(near: Claim):
    assert {verdict(sign, near) for sign in ("+", "-", "either")} == {"undecided"}


def test_what_is_not_defined_is_undecided():
    nothing = claim(*[float("nan")] * 6)
    assert {verdict(sign, nothing) for sign in ("+", "-", "either")} == {"undecided"}


def test_the_rule_is_said():
    said = verdict_of(SURE, "-", largest_p_value=0.05)["holds_if"]
    assert said == "value < 0, so is its interval, p <= 0.05, beyond all random weights"
