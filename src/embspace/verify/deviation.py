"""Measures how far a cell is from its baseline."""

import math

from embspace.published.contents import Cell
from embspace.verify.rules import Kind

# A deviation is a share of what is allowed; this is what computing it may round.
LIMIT = 1 + 1e-9


def deviation(baseline: Cell, result: Cell, kind: Kind) -> float:
    """Return 0 for equal cells, 1 for the largest deviation that `kind` allows; NaN equals NaN."""
    if baseline == result or kind.free:
        return 0.0
    first, second = number(baseline), number(result)
    if kind.is_exact or first is None or second is None:
        return math.inf
    if math.isnan(first) and math.isnan(second):
        return 0.0
    difference, allowed = abs(first - second), kind.allowed(first)
    if not (math.isfinite(difference) and allowed > 0):
        return math.inf
    return difference / allowed


def number(cell: Cell) -> float | None:
    """Return a cell as a number; NaN for an empty cell, None for any other content."""
    if isinstance(cell, bool):
        return None
    if cell is None or cell == "":
        return math.nan
    try:
        return float(cell)
    except ValueError:
        return None
