"""Compares a result with the baseline, fact by fact."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from embspace.published.contents import Cell, Contents, RowName
from embspace.verify.deviation import LIMIT, deviation, number
from embspace.verify.ranked import RankedList
from embspace.verify.rules import Rules

RowsByName = Mapping[RowName, Mapping[str, Cell]]


class Fact(NamedTuple):
    """A cell beside the baseline's cell, or a row or column that only one side has."""

    row: RowName
    column: str
    baseline: str
    result: str
    allowed: str
    """Empty for a row or column that only one side has."""
    deviation: float


@dataclass(frozen=True)
class Comparison:
    """The result of comparing two files."""

    n_facts: int
    worst: float
    """The largest deviation, as a share of the tolerance."""
    drifted: tuple[Fact, ...]
    """The facts beyond tolerance, the farthest first."""


def compare(baseline: Contents, result: Contents, rules: Rules) -> Comparison:
    """Compare all cells; a row or column that only one side has is drift.

    The columns of a table without rows say nothing, and are not compared. Every column needs a
    rule, see `unguarded`.
    """
    columns = [column for column in baseline.columns if column in result.columns]
    rules = rules.for_columns(columns)
    names = rules.row_names(columns)
    before, after = baseline.by_name(names), result.by_name(names)
    ranked = _ranked_list(names, before, after, rules)
    drifted = _one_sided_columns(baseline.columns, result.columns) if before and after else []
    drifted += _one_sided_rows(before, after, ranked)
    n_facts, worst = len(drifted), math.inf if drifted else 0.0
    for column in columns:
        if column in names:
            continue
        for row, share in _deviations(column, before, after, rules, ranked):
            n_facts, worst = n_facts + 1, max(worst, share)
            if share > LIMIT:
                drifted.append(_fact(row, column, before, after, rules, share))
    drifted.sort(key=lambda fact: -fact.deviation)
    return Comparison(n_facts, worst, tuple(drifted))


def unguarded(contents: Contents, rules: Rules) -> list[str]:
    """Return the columns or keys without a rule."""
    return [column for column in contents.columns if rules.kind(column) is None]


def _ranked_list(
    names: Sequence[str], before: RowsByName, after: RowsByName, rules: Rules
) -> RankedList | None:
    if rules.ranked is None:
        return None
    groups = tuple(name for name in names if name not in rules.ranked.identity)
    kind = rules.required_kind(rules.ranked.by)
    return RankedList(rules.ranked, kind, groups, before, after)


def _one_sided_columns(before: Sequence[str], after: Sequence[str]) -> list[Fact]:
    missing = [_missing(column=column) for column in before if column not in after]
    return missing + [_extra(column=column) for column in after if column not in before]


def _one_sided_rows(before: RowsByName, after: RowsByName, ranked: RankedList | None) -> list[Fact]:
    if ranked is not None:
        missing, extra = ranked.missing(), ranked.extra()
    else:
        missing = [row for row in before if row not in after]
        extra = [row for row in after if row not in before]
    return [_missing(row) for row in missing] + [_extra(row) for row in extra]


def _missing(row: RowName = (), column: str = "") -> Fact:
    return Fact(row, column, "there", "missing", "", math.inf)


def _extra(row: RowName = (), column: str = "") -> Fact:
    return Fact(row, column, "not there", "extra", "", math.inf)


def _deviations(
    column: str, before: RowsByName, after: RowsByName, rules: Rules, ranked: RankedList | None
) -> Iterator[tuple[RowName, float]]:
    for row in before:
        if row not in after:
            continue
        kind = rules.kind_of_cell(column, before[row])
        if ranked is not None and column == ranked.ranked.rank:
            yield row, ranked.rank_deviation(row)
        else:
            yield row, deviation(before[row][column], after[row][column], kind)


def _fact(
    row: RowName, column: str, before: RowsByName, after: RowsByName, rules: Rules, share: float
) -> Fact:
    baseline, result = before[row][column], after[row][column]
    kind, value = rules.kind_of_cell(column, before[row]), number(baseline)
    if rules.ranked is not None and column == rules.ranked.rank:
        allowed = "a tie"
    elif kind.is_exact or value is None or not math.isfinite(value):
        allowed = "exact"
    else:
        allowed = f"±{kind.allowed(value):.3g}"
    return Fact(row, column, _shown(baseline), _shown(result), allowed, share)


def _shown(cell: Cell) -> str:
    return "NaN" if cell is None or cell == "" else str(cell)
