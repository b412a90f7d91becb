"""Our numbers against those that others have printed."""

from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Literal

from embspace.errors import InputError
from embspace.verify.contents import Cell, Contents, read_contents
from embspace.verify.sources import Entry, Source, read_sources

Verdict = Literal["agrees", "DIFFERS", "MISSING"]


@dataclass(frozen=True)
class Check:
    """One published number and ours."""

    quantity: str
    published: str
    ours: str
    verdict: Verdict
    note: str = ""


@dataclass(frozen=True)
class SourceReport:
    """The numbers of one publication."""

    source: str
    checks: tuple[Check, ...]
    not_measured: dict[str, int]
    """How many numbers are about what is not in params.yaml: by model, or `corpus <name>`."""


def check_published(
    results: Path, models: Collection[str], corpora: Collection[str]
) -> list[SourceReport]:
    """Check what was published about `models` and `corpora`, one report a source."""
    return [_check_source(source, results, models, corpora) for source in read_sources()]


def agrees(ours: Cell, printed: str, factor: int, tolerance: float | None) -> bool:
    """Whether ours rounds to what is printed, or is within `tolerance` of it.

    In decimal arithmetic, where half a unit of the last digit is exact.
    """
    try:
        value = Decimal(str(ours)) * factor
    except InvalidOperation:
        return False
    digits = Decimal(printed).as_tuple().exponent
    assert isinstance(digits, int)  # a finite number, see Entry
    half_unit = Decimal(5).scaleb(digits - 1)
    allowed = half_unit if tolerance is None else Decimal(str(tolerance))
    return value.is_finite() and abs(value - Decimal(printed)) <= allowed


def _check_source(
    source: Source, results: Path, models: Collection[str], corpora: Collection[str]
) -> SourceReport:
    checks: list[Check] = []
    not_measured: dict[str, int] = {}
    for entry in source.entries:
        corpus = entry.where.get("corpus")
        if entry.model in models and (corpus is None or corpus in corpora):
            checks += _check_entry(entry, results)
        else:
            lacking = f"corpus {corpus}" if entry.model in models else entry.model
            not_measured[lacking] = not_measured.get(lacking, 0) + len(entry.published)
    return SourceReport(source.source, tuple(checks), not_measured)


def _check_entry(entry: Entry, results: Path) -> list[Check]:
    file = results / Path(entry.file.replace("{model}", entry.model)).relative_to("results")
    contents = read_contents(file) if file.is_file() else None
    return [_check_number(entry, file, contents, column) for column in entry.published]


def _check_number(entry: Entry, file: Path, contents: Contents | None, column: str) -> Check:
    printed = entry.published[column]
    words = column.rpartition(".")[2].replace("_", " ")
    quantity = f"{entry.quantity}: {'negative ' if entry.factor < 0 else ''}{words}"
    if contents is None:
        return Check(quantity, printed, f"no {file}", "MISSING")
    if column not in contents.columns:
        return Check(quantity, printed, f"no '{column}' in {file}", "MISSING")
    values = {row[column] for row in contents.rows if _is_chosen(row, entry)}
    if not values:
        return Check(quantity, printed, f"no such row in {file}", "MISSING")
    if len(values) > 1:
        raise InputError(f"{file}: '{quantity}' fits rows of different {column}: {values}")
    ours = values.pop()
    verdict: Verdict = (
        "agrees" if agrees(ours, printed, entry.factor, entry.absolute_tolerance) else "DIFFERS"
    )
    return Check(quantity, printed, _times(ours, entry.factor), verdict, entry.note)


def _is_chosen(row: dict[str, Cell], entry: Entry) -> bool:
    if any(str(row.get(column)) != str(value) for column, value in entry.where.items()):
        return False
    if entry.pair is None:
        return True
    found = sorted(str(row.get(column)) for column in entry.pair.columns)
    return found == sorted(str(value) for value in entry.pair.values)


def _times(ours: Cell, factor: int) -> str:
    try:
        return str(Decimal(str(ours)) * factor)
    except InvalidOperation:
        return str(ours) or "NaN"
