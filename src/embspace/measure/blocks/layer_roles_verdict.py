"""The rule by which a correlation with depth bears a claim out, or does not."""

from typing import Literal, NamedTuple

RoleVerdict = Literal["matches", "differs", "undecided"]


class Evidence(NamedTuple):
    """A rank correlation with depth, and what it is held against."""

    value: float
    low: float
    high: float
    """Of its interval over texts."""
    random_smallest: float
    random_largest: float
    """Of models with random weights."""
    p_value: float
    """How often layers in random order have as high a correlation, of either sign."""


def verdict_of(found: Evidence, sign: str, *, largest_p_value: float) -> dict[str, str]:
    """The rule in words, `holds_if`, and the `verdict`.

    `matches`: the correlation has the sign, the interval lies beyond 0, p is at most
    `largest_p_value`, and the correlation exceeds every model with random weights. `differs`:
    correlation and interval lie on the opposite side, and p is at most `largest_p_value`. Otherwise
    `undecided`, also if undefined. With the sign `either` nothing differs: for few layers, a
    correlation near 0 does not show the absence of a trend.

    The p-value is two-sided, since the units of the claim are the few layers, ignored by an
    interval over texts.
    """
    signs = {"+": (1,), "-": (-1,), "either": (1, -1)}[sign]
    is_rare = found.p_value <= largest_p_value
    ends = (found.value, found.low, found.high)
    side = next((each for each in (1, -1) if is_rare and min(each * end for end in ends) > 0), 0)
    verdict: RoleVerdict = "undecided"
    if side and side not in signs:
        verdict = "differs"
    elif side and _is_beyond_random_weights(found, side):
        verdict = "matches"
    relation = {"+": "value > 0", "-": "value < 0", "either": "value > 0 or value < 0"}[sign]
    rule = f"{relation}, so is its interval, p <= {largest_p_value:g}, beyond all random weights"
    return {"holds_if": rule, "verdict": verdict}


def _is_beyond_random_weights(found: Evidence, sign: int) -> bool:
    """Whether no model with random weights has as much on this side."""
    return sign * found.value > max(sign * found.random_smallest, sign * found.random_largest)
