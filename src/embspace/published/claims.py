"""Claims of a publication, decided by our numbers, their intervals and nulls."""

import operator
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import isnan, nan
from pathlib import Path
from typing import Literal

from embspace.published.evidence import Evidence, evidence_of, varied
from embspace.published.sources import RULE, CellPlace, Claim, Rule
from embspace.published.subjects import Subject

COMPARISONS = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge}
ClaimVerdict = Literal["matches", "differs", "undecided", "depends on the rule", "not checkable"]
CELLS = ("cell", "minus", "over", "null_of")


@dataclass(frozen=True)
class Outcome:
    """The verdict by a rule at a setting."""

    asked_at: str
    evidence: Evidence
    verdict: ClaimVerdict
    reason: str = ""


@dataclass(frozen=True)
class Decision:
    """A claim with evidence, verdict, and outcomes by rule."""

    evidence: Evidence
    verdict: ClaimVerdict
    reason: str = ""
    outcomes: tuple[Outcome, ...] = ()


def decide(claim: Claim, model: Subject, results: Path) -> Decision:
    """Return the verdict of the numbers of `model` on the claim.

    With an interval, a rule must hold for all of the interval to match and for none to differ. A
    bare number decides nothing. If the claim names settings, comparators or further rules, all must
    agree. A claim about a different model is not decided; the evidence is this model's number.

    Raises:
        InputError: if the claim names a column missing from the table, or several fitting rows.
    """
    outcomes = tuple(_outcomes(claim, model, results))
    first = outcomes[0]
    if not model.is_meant_by(claim.model):
        return Decision(first.evidence, "not checkable", f"waits for {claim.model}")
    verdict, reason = _agreed(outcomes)
    return Decision(first.evidence, verdict, reason, outcomes)


def _agreed(outcomes: tuple[Outcome, ...]) -> tuple[ClaimVerdict, str]:
    """Return the common verdict of all outcomes; outcomes not checkable do not count.

    The first is the source's own rule or setting: if not checkable, the claim is not checkable.
    """
    first = outcomes[0]
    counts = Counter(outcome.verdict for outcome in outcomes if outcome.verdict != "not checkable")
    if first.verdict == "not checkable" or len(counts) < 2:
        return first.verdict, first.reason
    parts = (
        f"{verdict} {_where(verdict, outcomes)}"
        if n < 3
        else f"{verdict} at {n} of {counts.total()}"
        for verdict, n in counts.most_common()
    )
    return "depends on the rule", "; ".join(parts)


def _where(verdict: ClaimVerdict, outcomes: tuple[Outcome, ...]) -> str:
    return "at " + " and ".join(
        outcome.asked_at for outcome in outcomes if outcome.verdict == verdict
    )


def _outcomes(claim: Claim, model: Subject, results: Path) -> Iterator[Outcome]:
    for rule, why in [(claim, ""), *((other, other.why) for other in claim.otherwise)]:
        try:
            variants = list(_variants(rule, model, results))
        except LookupError as error:
            variants = []
            yield Outcome(why, Evidence(nan), "not checkable", str(error.args[0]))
        for setting, variant in variants:
            evidence, verdict, reason = _decide(variant, model, results)
            words = ", ".join(filter(None, [why, setting]))
            yield Outcome(words or "the rule above", evidence, verdict, reason)


def _variants(rule: Rule, model: Subject, results: Path) -> Iterator[tuple[str, Rule]]:
    """Yield the rule at every setting and with every comparator, the source's first."""
    settings = [
        [(column, value, cells) for value in values]
        for column, cells, values in _varied(rule, model, results)
    ]
    for chosen in product(*settings):
        cells: dict[str, CellPlace] = {}
        for column, value, names in chosen:
            for name in names:
                cell = cells.get(name) or getattr(rule, name)
                cells[name] = cell.model_copy(update={"where": cell.where | {column: value}})
        words = ", ".join(f"{column.replace('_', ' ')} {value}" for column, value, _ in chosen)
        yield words, rule.model_copy(update=cells)


def _varied(
    rule: Rule, model: Subject, results: Path
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield the varying columns, with cells and values."""
    for column, values in rule.every.items():
        cells = [name for name in CELLS if column in _where_of(rule, name)]
        own = str(rule.cell.where[column])
        yield column, cells, _values(rule.cell, column, values, model, results, first=own)
    for name in CELLS:
        cell: CellPlace | None = getattr(rule, name)
        for column, values in cell.every.items() if cell else ():
            yield column, [name], _values(cell, column, values, model, results)


def _where_of(rule: Rule, name: str) -> dict[str, str | int]:
    cell: CellPlace | None = getattr(rule, name)
    return cell.where if cell else {}


def _values(
    cell: CellPlace | None,
    column: str,
    values: list[str | int],
    model: Subject,
    results: Path,
    *,
    first: str = "",
) -> list[str]:
    """Return the named values, or all values of the table; the claim's own stands first."""
    assert cell
    all_values = [str(value) for value in values] or list(varied(cell, column, model, results))
    if not all_values:
        raise LookupError(f"no row has a value of {column.replace('_', ' ')}")
    return list(dict.fromkeys([*filter(None, [first]), *all_values]))


def _decide(rule: Rule, model: Subject, results: Path) -> tuple[Evidence, ClaimVerdict, str]:
    try:
        evidence = evidence_of(rule, model, results)
    except LookupError as error:
        return Evidence(nan), "not checkable", str(error.args[0])
    if isnan(evidence.value):
        return evidence, "not checkable", "the statistic is not defined here"
    if lacking := [name for name in _nulls_in(rule.holds_if) if isnan(getattr(evidence, name))]:
        return evidence, "not checkable", f"there is no {lacking[0].replace('_', ' ')} here"
    if not evidence.basis:
        return evidence, "undecided", "there is neither an interval nor a null"
    outcomes = [_holds(part, evidence) for part in rule.holds_if.split(" and ")]
    if False in outcomes:
        return evidence, "differs", ""
    if None in outcomes:
        return evidence, "undecided", _open(rule.holds_if, evidence)
    return evidence, "matches", ""


def _open(holds_if: str, evidence: Evidence) -> str:
    """Return why a rule is neither true nor false."""
    parts = [part for part in holds_if.split(" and ") if _holds(part, evidence) is None]
    if all(part.startswith("q_value") for part in parts):
        return f"chance does as much, q {evidence.q_value:.2g}, by all tests of the table"
    if not evidence.has_interval:
        return "chance does as much, the value lies in the range of the null"
    return "the interval has values of both kinds"


def _nulls_in(holds_if: str) -> list[str]:
    matches = (RULE.fullmatch(part) for part in holds_if.split(" and "))
    return [match[3] for match in matches if match and (match[3] or "").startswith("null")]


def _holds(part: str, evidence: Evidence) -> bool | None:
    """Return whether a comparison holds of all of the interval; None if only of a part."""
    match = RULE.fullmatch(part)
    assert match  # as the schema says
    left, sign, right = filter(None, match.groups())
    if left == "q_value":
        return COMPARISONS[sign](evidence.q_value, float(right)) or None
    compared = getattr(evidence, right) if right.startswith("null") else float(right)
    numbers = [evidence.value if left == "estimate" else getattr(evidence, left)]
    if left == "value" and evidence.has_interval:
        numbers = [evidence.low, evidence.high]
    if any(map(isnan, numbers)) or _chance_does_as_much(sign, right, evidence):
        return None
    outcomes = {COMPARISONS[sign](number, compared) for number in numbers}
    return outcomes.pop() if len(outcomes) == 1 else None


def _chance_does_as_much(sign: str, bound: str, evidence: Evidence) -> bool:
    """Return whether a number without an interval lies in the null's range, not beyond as claimed.

    As with a p-value, a test that does not reject says nothing.
    """
    beyond = (sign, bound) in ((">", "null_high"), ("<", "null_low"))
    in_range = evidence.null_low <= evidence.value <= evidence.null_high
    return beyond and not evidence.has_interval and in_range
