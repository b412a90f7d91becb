"""Claims of a publication, decided by numbers of ours, their intervals and nulls."""

import operator
import re
from dataclasses import dataclass, replace
from math import exp, hypot, isnan, log, nan
from pathlib import Path
from typing import Literal

from embspace.errors import InputError
from embspace.published.contents import Cell, Contents, read_contents
from embspace.published.numbers import is_chosen
from embspace.published.sources import RULE, CellPlace, Claim, RowsThatName, Rule
from embspace.published.subjects import Subject

COMPARISONS = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge}
LAST_LAYER = re.compile(r"last(-\d+)?")
"""The largest layer in the table, or one before it (`last-1`), as `where` names it."""
ClaimVerdict = Literal["matches", "differs", "undecided", "depends on the rule", "not checkable"]
Basis = Literal["interval", "null", "interval and null", "exact", ""]


@dataclass(frozen=True)
class Evidence:
    """The numbers that decide a claim; NaN for one that is not there."""

    value: float
    low: float = nan
    high: float = nan
    null: float = nan
    null_low: float = nan
    null_high: float = nan
    exact: bool = False
    is_p_value: bool = False
    """The value itself says how likely the null is."""

    @property
    def has_interval(self) -> bool:
        """Return whether there is an interval; what is counted whole needs none."""
        return not (self.exact or isnan(self.low) or isnan(self.high))

    @property
    def has_null(self) -> bool:
        """Return whether there is a null value, or a band of it."""
        nulls = (self.null, self.null_low, self.null_high)
        return self.is_p_value or not all(isnan(null) for null in nulls)

    @property
    def basis(self) -> Basis:
        """Return the name of what the verdict rests on; empty for a bare number."""
        if self.has_interval:
            return "interval and null" if self.has_null else "interval"
        if self.has_null:
            return "null"
        return "exact" if self.exact else ""


@dataclass(frozen=True)
class Decision:
    """A claim with its evidence and the outcome."""

    evidence: Evidence
    verdict: ClaimVerdict
    reason: str = ""


def decide(claim: Claim, model: Subject, results: Path) -> Decision:
    """Return the verdict of the numbers of `model` on the claim.

    With an interval, a rule must hold of all of it to match and of none of it to differ. A bare
    number decides nothing. A claim about another model waits for it; the evidence is what this
    one has in its place.

    Raises:
        InputError: if the claim names a column that the table lacks, or rows that differ.
    """
    decision = _decide(claim, model, results)
    if not model.is_meant_by(claim.model):
        return Decision(decision.evidence, "not checkable", f"waits for {claim.model}")
    if claim.otherwise is None or decision.verdict not in ("matches", "differs"):
        return decision
    other = _decide(claim.otherwise, model, results)
    if other.verdict in (decision.verdict, "not checkable"):
        return decision
    why = f"{decision.verdict} by this rule, {other.verdict} by another: {claim.otherwise.why}"
    return Decision(decision.evidence, "depends on the rule", why)


def _decide(rule: Rule, model: Subject, results: Path) -> Decision:
    try:
        evidence = _evidence(rule, model, results)
    except LookupError as error:
        return Decision(Evidence(nan), "not checkable", str(error.args[0]))
    if isnan(evidence.value):
        return Decision(evidence, "not checkable", "the statistic is not defined here")
    if not evidence.basis:
        return Decision(evidence, "undecided", "there is neither an interval nor a null")
    outcomes = [_holds(part, evidence) for part in rule.holds_if.split(" and ")]
    if False in outcomes:
        return Decision(evidence, "differs")
    if None in outcomes:
        return Decision(evidence, "undecided", "the interval has values of both kinds")
    return Decision(evidence, "matches")


def _evidence(rule: Rule, model: Subject, results: Path) -> Evidence:
    evidence = _read(rule.cell, model, results)
    if rule.minus:
        evidence = _difference(evidence, _read(rule.minus, model, results))
    if rule.over:
        evidence = _ratio(evidence, _read(rule.over, model, results))
    if rule.null_of:
        null = _read(rule.null_of, model, results)
        evidence = replace(evidence, null=null.value, null_low=null.low, null_high=null.high)
    return evidence


def _difference(x: Evidence, y: Evidence) -> Evidence:
    """The difference of two estimates with its interval.

    Recovered from the intervals of both (Zou & Donner 2008, Construction of confidence intervals
    about effect measures, equation 4 without a covariance). The two are taken for independent,
    which makes it too wide where they rise and fall together, as on the same texts.
    """
    value, exact = x.value - y.value, x.exact and y.exact
    below = hypot(x.value - x.low, y.high - y.value)
    above = hypot(x.high - x.value, y.value - y.low)
    return Evidence(value, value - below, value + above, exact=exact)


def _ratio(x: Evidence, y: Evidence) -> Evidence:
    """The ratio of two estimates, its interval that of the difference of their logarithms."""
    if y.value == 0:
        return Evidence(nan)
    value, exact = x.value / y.value, x.exact and y.exact
    if exact:
        return Evidence(value, value, value, exact=True)
    numbers = (x.value, x.low, x.high, y.value, y.low, y.high)
    if not all(number > 0 for number in numbers):  # NaN is not, either
        return Evidence(value)
    logs = _difference(_logarithm(x), _logarithm(y))
    return Evidence(value, exp(logs.low), exp(logs.high))


def _logarithm(x: Evidence) -> Evidence:
    return Evidence(log(x.value), log(x.low), log(x.high))


def _holds(part: str, evidence: Evidence) -> bool | None:
    """Return whether a comparison holds of all of the interval; None if only of a part."""
    match = RULE.fullmatch(part)
    assert match  # as the schema says
    left, sign, right = match.groups()
    compared = getattr(evidence, right) if right.startswith("null") else float(right)
    found = [evidence.value if left == "estimate" else getattr(evidence, left)]
    if left == "value" and evidence.has_interval:
        found = [evidence.low, evidence.high]
    if isnan(compared) or any(map(isnan, found)):
        return None
    outcomes = {COMPARISONS[sign](each, compared) for each in found}
    return outcomes.pop() if len(outcomes) == 1 else None


def _read(cell: CellPlace, model: Subject, results: Path) -> Evidence:
    if cell.open_roles:
        raise LookupError(f"no corpus of params.yaml has the role {' or '.join(cell.open_roles)}")
    file = model.file(cell.file, results)
    if not file.is_file():
        raise LookupError(f"{file} is not there")
    contents = read_contents(file)
    where = {
        column: _layer(contents, column, str(value)) if LAST_LAYER.fullmatch(str(value)) else value
        for column, value in cell.where.items()
    }
    rows = [row for row in contents.rows if is_chosen(row, where, cell.pair)]
    if not rows:
        raise LookupError(f"{file} has no such row")
    if cell.share_of:
        return _share(rows, cell.share_of, file, exact=cell.exact)
    if len(rows) > 1:
        raise InputError(f"{file}: {len(rows)} rows fit {where}, expected one")
    for column in cell.columns.values():
        if column not in contents.columns and file.suffix == ".json":
            raise LookupError(f"{file} has no '{column}'")
        if column not in contents.columns:
            raise InputError(f"{file}: has no column '{column}', which a claim needs")
    found = {name: _number(rows[0][column]) for name, column in cell.columns.items()}
    if cell.exact:
        found = {"low": found["value"], "high": found["value"]} | found
    is_p_value = "p_value" in cell.value
    return Evidence(**found, exact=cell.exact, is_p_value=is_p_value)


def _share(
    rows: list[dict[str, Cell]], named: RowsThatName, file: Path, *, exact: bool
) -> Evidence:
    """The share of the rows that name one of the values."""
    for column in named.columns:
        if column not in rows[0]:
            raise InputError(f"{file}: has no column '{column}', which a claim needs")
    wanted = {str(value) for value in named.values}
    naming = [any(str(row[column]) in wanted for column in named.columns) for row in rows]
    share = sum(naming) / len(rows)
    return Evidence(share, share, share, exact=True) if exact else Evidence(share)


def _layer(contents: Contents, column: str, name: str) -> str:
    numbers = [int(str(row[column])) for row in contents.rows if row.get(column) not in (None, "")]
    return str(max(numbers, default=-1) + int(name.removeprefix("last") or 0))


def _number(found: Cell) -> float:
    if found in ("True", "False"):
        return float(found == "True")
    try:
        return float(str(found))
    except ValueError:
        return nan
