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


def verdict_of(
    found: Evidence, sign: str, *, largest_p_value: float, smallest: float
) -> dict[str, str]:
    """The rule in words, `holds_if`, and the `verdict`.

    `matches`: the correlation has the sign, its interval lies beyond 0, p is at most
    `largest_p_value`, and it is beyond that of every model with random weights. `differs`: the
    interval is beyond 0 on the other side, or nearer to 0 than `smallest`. Else `undecided`, as
    where it is not defined. A sign `either` asks for one of both, and only a correlation near 0
    differs.
    """
    signs = {"+": (1,), "-": (-1,), "either": (1, -1)}[sign]
    near = max(abs(found.low), abs(found.high)) < smallest
    beyond = [each for each in (1, -1) if min(each * found.low, each * found.high) > 0]
    matches = [each for each in signs if each in beyond and _is_rare(found, each, largest_p_value)]
    against = bool(beyond) and beyond[0] not in signs
    verdict: RoleVerdict = "matches" if matches else "differs" if near or against else "undecided"
    relation = {"+": "value > 0", "-": "value < 0", "either": "value > 0 or value < 0"}[sign]
    rule = f"{relation}, so is its interval, p <= {largest_p_value:g}, beyond all random weights"
    return {"holds_if": rule, "verdict": verdict}


def _is_rare(found: Evidence, sign: int, largest_p_value: float) -> bool:
    """Whether neither order of layers nor random weights give as much on this side."""
    random = max(sign * found.random_smallest, sign * found.random_largest)
    return found.p_value <= largest_p_value and sign * found.value > random
