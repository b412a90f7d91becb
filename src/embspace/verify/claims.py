"""Claims of a publication, decided by numbers of ours and rules fixed beforehand."""

import operator
import re
from dataclasses import dataclass
from math import isnan, nan
from pathlib import Path
from typing import Literal

from embspace.errors import InputError
from embspace.verify.contents import Cell, Contents, read_contents
from embspace.verify.published import fits
from embspace.verify.sources import ANY_MODEL, RULE, CellPlace, Claim

COMPARISONS = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge}
LAST_LAYER = re.compile(r"last(-\d+)?")
"""In `where`, for the largest layer in the table, or one before it, as in `last-1`."""


@dataclass(frozen=True)
class Evidence:
    """What decides a claim; NaN for what is not there."""

    value: float
    low: float = nan
    high: float = nan
    null: float = nan
    null_low: float = nan
    null_high: float = nan


@dataclass(frozen=True)
class Decision:
    """A claim with its evidence and the outcome."""

    evidence: Evidence
    verdict: Literal["matches", "differs", "cannot be had"]
    reason: str = ""


def decide(claim: Claim, model: str, results: Path) -> Decision:
    """Whether the numbers of `model` fit the claim.

    A claim about another model waits for it; the evidence is what this one has in its place.

    Raises:
        InputError: if the claim names a column that the table lacks, or rows that differ.
    """
    try:
        evidence = _evidence(claim, model, results)
    except LookupError as error:
        evidence, holds, lacking = Evidence(nan), None, str(error.args[0])
    else:
        holds, lacking = _holds(claim.holds_if, evidence), "the statistic is not defined here"
    if claim.model not in (model, ANY_MODEL):
        return Decision(evidence, "cannot be had", f"waits for {claim.model}")
    if holds is None:
        return Decision(evidence, "cannot be had", lacking)
    return Decision(evidence, "matches" if holds else "differs")


def _evidence(claim: Claim, model: str, results: Path) -> Evidence:
    evidence = _read(claim.cell, model, results)
    for other, operation in ((claim.minus, operator.sub), (claim.over, operator.truediv)):
        if other:
            beside = _read(other, model, results).value
            defined = beside != 0 or operation is operator.sub
            value = operation(evidence.value, beside) if defined else nan
            # An interval or null of one of the two is none of the result's.
            evidence = Evidence(value)
    return evidence


def _holds(rule: str, evidence: Evidence) -> bool | None:
    """None if a number that the rule needs is not there."""
    outcomes = []
    for part in rule.split(" and "):
        match = RULE.fullmatch(part)
        assert match  # as the schema says
        left, sign, right = match.groups()
        compared = getattr(evidence, right) if right.startswith("null") else float(right)
        value = getattr(evidence, left)
        if isnan(value) or isnan(compared):
            return None
        outcomes.append(COMPARISONS[sign](value, compared))
    return all(outcomes)


def _read(cell: CellPlace, model: str, results: Path) -> Evidence:
    file = results / Path(cell.file.replace("{model}", model)).relative_to("results")
    if not file.is_file():
        raise LookupError(f"{file} is not there")
    contents = read_contents(file)
    where = {
        column: _layer(contents, column, str(value)) if LAST_LAYER.fullmatch(str(value)) else value
        for column, value in cell.where.items()
    }
    rows = [row for row in contents.rows if fits(row, where)]
    if not rows:
        raise LookupError(f"{file} has no such row")
    if len(rows) > 1:
        raise InputError(f"{file}: {len(rows)} rows fit {where}, expected one")
    names = ("value", "low", "high", "null", "null_low", "null_high")
    columns = {name: getattr(cell, name) for name in names if getattr(cell, name)}
    for column in columns.values():
        if column not in contents.columns and file.suffix == ".json":
            raise LookupError(f"{file} has no '{column}'")
        if column not in contents.columns:
            raise InputError(f"{file}: has no column '{column}', which a claim needs")
    return Evidence(**{name: _number(rows[0][column]) for name, column in columns.items()})


def _layer(contents: Contents, column: str, name: str) -> str:
    numbers = [int(str(row[column])) for row in contents.rows if row.get(column) not in (None, "")]
    return str(max(numbers, default=-1) + int(name.removeprefix("last") or 0))


def _number(found: Cell) -> float:
    try:
        return float(str(found))
    except ValueError:
        return nan
