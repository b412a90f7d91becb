"""Finds in results the numbers that decide a claim: a value, with interval and null."""

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, hypot, isfinite, isnan, log, nan
from pathlib import Path
from typing import Literal

from embspace.errors import InputError
from embspace.published.contents import Cell, Contents, read_contents
from embspace.published.numbers import is_chosen
from embspace.published.sources import CellPlace, Claim, RowsThatName, Rule
from embspace.published.subjects import Subject

LAST_LAYER = re.compile(r"last(-\d+)?")
"""The largest layer in the table, or a layer before (`last-1`), as written in `where`."""
LAYERS = re.compile(rf"(\d+)\.\.(\d+|{LAST_LAYER.pattern})")
"""All layers from one to another, as `1..last-1`."""
Basis = Literal["interval", "null", "interval and null", "exact", ""]
Where = Mapping[str, str | int]


@dataclass(frozen=True)
class Evidence:
    """The numbers that decide a claim; NaN for a missing number."""

    value: float
    low: float = nan
    high: float = nan
    null: float = nan
    null_low: float = nan
    null_high: float = nan
    p_value: float = nan
    q_value: float = nan
    exact: bool = False
    is_p_value: bool = False
    """Whether the value itself is the probability of the null."""

    @property
    def has_interval(self) -> bool:
        """Return whether there is an interval; what is counted in full needs none."""
        return not (self.exact or isnan(self.low) or isnan(self.high))

    @property
    def has_null(self) -> bool:
        """Return whether a null is known: a value, a band, or a probability."""
        nulls = (self.null, self.null_low, self.null_high, self.p_value)
        return self.is_p_value or not all(isnan(null) for null in nulls)

    @property
    def basis(self) -> Basis:
        """Return the name of what the verdict rests on; empty for a bare number."""
        if self.has_interval:
            return "interval and null" if self.has_null else "interval"
        if self.has_null:
            return "null"
        return "exact" if self.exact else ""


def evidence_of(rule: Rule, model: Subject, results: Path) -> Evidence:
    """Return the numbers for a rule.

    Raises:
        LookupError: if the results of this model lack the numbers; the text gives the reason.
        InputError: if a table lacks a column of the rule, or several rows fit.
    """
    if isinstance(rule, Claim) and rule.printed:
        file = model.file(rule.cell.file, results)
        from embspace.published.agreement import agreement_of  # imports NumPy

        agreement = agreement_of(rule.printed, rule.cell.value, rows_of(file, rule.cell))
        return Evidence(
            agreement.correlation, null_high=agreement.null_high, p_value=agreement.p_value
        )
    evidence = read_cell(rule.cell, model, results)
    if rule.minus:
        evidence = _difference(evidence, read_cell(rule.minus, model, results))
    if rule.over:
        evidence = _ratio(evidence, read_cell(rule.over, model, results))
    if rule.null_of:
        null = read_cell(rule.null_of, model, results)
        evidence = replace(evidence, null=null.value, null_low=null.low, null_high=null.high)
    return evidence


def _difference(x: Evidence, y: Evidence) -> Evidence:
    """The difference of two estimates with an interval.

    Recovered from both intervals (Zou & Donner 2008, Construction of confidence intervals about
    effect measures, equation 4 without a covariance). The estimates are taken as independent, and
    the interval is too wide for positively correlated estimates, as on the same texts.
    """
    value, exact = x.value - y.value, x.exact and y.exact
    below = hypot(x.value - x.low, y.high - y.value)
    above = hypot(x.high - x.value, y.value - y.low)
    return Evidence(value, value - below, value + above, exact=exact)


def _ratio(x: Evidence, y: Evidence) -> Evidence:
    """The ratio of two estimates, with the interval of the difference of the logarithms."""
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


def read_cell(cell: CellPlace, model: Subject, results: Path) -> Evidence:
    """Return the numbers of a cell; errors as of `evidence_of`."""
    if cell.open_roles:
        raise LookupError(f"no corpus of params.yaml has the role {' or '.join(cell.open_roles)}")
    file = model.file(cell.file, results)
    rows, contents = rows_of(file, cell), contents_of(file)
    if cell.share_of:
        return _share(rows, cell.share_of, file, exact=cell.exact)
    for column in cell.columns.values():
        if column not in contents.columns and file.suffix == ".json":
            raise LookupError(f"the results on {_noun(file)} have no {column.replace('.', ' ')}")
        if column not in contents.columns:
            raise InputError(f"{file}: has no column '{column}', which a claim needs")
    if cell.share_below:
        return _share_below(rows, cell.value, cell.share_below, file)
    if cell.take:
        rows = [_extreme(rows, cell.value, cell.take)]
    if len(rows) > 1:
        raise InputError(f"{file}: {len(rows)} rows fit {cell.where}, expected one")
    numbers = {name: _number(rows[0][column]) for name, column in cell.columns.items()}
    if cell.exact:
        numbers = {"low": numbers["value"], "high": numbers["value"]} | numbers
    is_p_value = "p_value" in cell.value
    return Evidence(**numbers, exact=cell.exact, is_p_value=is_p_value)


def contents_of(file: Path) -> Contents:
    """Return a table of results.

    Raises:
        LookupError: if the table is missing.
    """
    if not file.is_file():
        raise LookupError(f"there are no results on {_noun(file)}, {file} is not there")
    return read_contents(file)


def rows_of(file: Path, cell: CellPlace) -> list[dict[str, Cell]]:
    """Return the rows of a table that fit a cell's `where`.

    Raises:
        LookupError: if the table is missing, or no row fits.
    """
    contents = contents_of(file)
    where, layers = _places(contents.rows, cell)
    rows = [
        row
        for row in contents.rows
        if is_chosen(row, where, cell.pair)
        and all(_number(row.get(column)) in numbers for column, numbers in layers.items())
    ]
    if not rows:
        raise LookupError(_lacking(contents, where, file))
    return rows


def _places(
    rows: Sequence[dict[str, Cell]], cell: CellPlace
) -> tuple[Where, dict[str, Container[float]]]:
    """Return the conditions of `where` on single values and on layers, counted from the last.

    The last layer is the largest among the rows that fit the rest of `where`.
    """
    by_number = {
        column: match
        for column, value in cell.where.items()
        if (match := LAYERS.fullmatch(str(value))) or (match := LAST_LAYER.fullmatch(str(value)))
    }
    where = {column: value for column, value in cell.where.items() if column not in by_number}
    rest = [row for row in rows if is_chosen(row, where, cell.pair)]
    layers: dict[str, Container[float]] = {}
    for column, match in by_number.items():
        numbers = [_number(row.get(column)) for row in rest]
        last = max(filter(isfinite, numbers), default=-1)
        if match.re is LAST_LAYER:
            layers[column] = {_layer(match[0], last)}
        else:
            layers[column] = range(int(match[1]), _layer(match[2], last) + 1)
    return where, layers


def _layer(name: str, last: float) -> int:
    """Return the number of a layer; `last` is the largest."""
    return int(last) + int(name.removeprefix("last") or 0) if _is_last(name) else int(name)


def _lacking(contents: Contents, where: Where, file: Path) -> str:
    """Return, for a reader, the values without a row, or the emptiness of the table."""
    if not contents.rows:
        return f"nothing was measured on {_noun(file)} here"
    absent = [
        f"{column} {value}"
        for column, value in where.items()
        if all(str(row.get(column)) != str(value) for row in contents.rows)
    ]
    words = " and ".join(absent).replace("_", " ")
    return f"the results on {_noun(file)} have no row with {words or 'all of these'}"


def _noun(file: Path) -> str:
    """Return which analysis a file under results/ belongs to, in words."""
    parents = [parent.name for parent in file.parents]
    return (parents[parents.index("results") - 1] if "results" in parents else file.stem).replace(
        "_", " "
    )


def varied(cell: CellPlace, column: str, model: Subject, results: Path) -> Iterator[str]:
    """Yield the distinct values of a column among the rows that fit the rest of `where`."""
    rest = {name: value for name, value in cell.where.items() if name != column}
    rows = rows_of(model.file(cell.file, results), cell.model_copy(update={"where": rest}))
    yield from dict.fromkeys(str(row[column]) for row in rows if row.get(column) not in (None, ""))


def _share(
    rows: list[dict[str, Cell]], named: RowsThatName, file: Path, *, exact: bool
) -> Evidence:
    """Return the share of the rows that name one of the values."""
    for column in named.columns:
        if column not in rows[0]:
            raise InputError(f"{file}: has no column '{column}', which a claim needs")
    wanted = {str(value) for value in named.values}
    naming = [any(str(row[column]) in wanted for column in named.columns) for row in rows]
    share = sum(naming) / len(rows)
    return Evidence(share, share, share, exact=True) if exact else Evidence(share)


def _share_below(rows: list[dict[str, Cell]], column: str, named: Where, file: Path) -> Evidence:
    """The share of further rows with a smaller value than the named row."""
    own = [row for row in rows if is_chosen(row, named, None)]
    if len(own) != 1:
        raise LookupError(f"{file} has {len(own)} rows with {named}, of which it takes one")
    value = _number(own[0][column])
    others = [_number(row[column]) for row in rows if row is not own[0]]
    others = [other for other in others if not isnan(other)]
    if isnan(value):
        return Evidence(nan)
    if not others:
        raise LookupError(f"{file} has nothing beside {named} to compare it with")
    share = sum(other < value for other in others) / len(others)
    return Evidence(share, share, share, exact=True)


def _extreme(rows: list[dict[str, Cell]], column: str, take: str) -> dict[str, Cell]:
    """Return the row with the largest or smallest number; rows that have none are passed over."""
    numbered = [row for row in rows if not isnan(_number(row[column]))] or rows
    choose = max if take == "largest" else min
    return choose(numbered, key=lambda row: _number(row[column]))


def _is_last(value: str | int) -> bool:
    return bool(LAST_LAYER.fullmatch(str(value)))


def _number(cell: Cell) -> float:
    if cell in ("True", "False"):
        return float(cell == "True")
    try:
        return float(str(cell))
    except ValueError:
        return nan
