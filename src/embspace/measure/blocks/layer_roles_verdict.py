"""The rule by which a correlation with depth confirms or contradicts a claim."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

RoleVerdict = Literal["matches", "differs", "undecided"]


def verdict_of(claim: Mapping[str, Any], sign: str, *, largest_p_value: float) -> dict[str, str]:
    """Return the rule in words, `holds_if`, and the `verdict`.

    `matches`: the correlation has the sign, the interval lies beyond 0, p is at most
    `largest_p_value`, and the correlation exceeds that of every model with random weights.
    `differs`: the same on the opposite side. Otherwise `undecided`, also if the correlation is
    undefined. With the sign `either` nothing differs: for few layers, a correlation near 0 does not
    show the absence of a trend.

    The units of the claim are the few layers, which an interval over texts ignores: hence the
    p-value, which is two-sided. `claim` is a row of the table of claims.
    """
    signs = {"+": (1,), "-": (-1,), "either": (1, -1)}[sign]
    is_rare = claim["p_value"] <= largest_p_value
    ends = np.array([claim["value"], claim["low"], claim["high"]])
    side = next((side for side in (1, -1) if is_rare and (side * ends > 0).all()), 0)
    verdict: RoleVerdict = "undecided"
    if side and _is_beyond_random_weights(claim, side):
        verdict = "matches" if side in signs else "differs"
    relation = {"+": "value > 0", "-": "value < 0", "either": "value > 0 or value < 0"}[sign]
    rule = f"{relation}, so is its interval, p <= {largest_p_value:g}, beyond all random weights"
    return {"holds_if": rule, "verdict": verdict}


def _is_beyond_random_weights(claim: Mapping[str, Any], side: int) -> bool:
    """Return whether the value lies further to this side than all models with random weights."""
    ends = [side * claim[f"random_weights_{end}"] for end in ("smallest", "largest")]
    return bool(side * claim["value"] > max(ends))
