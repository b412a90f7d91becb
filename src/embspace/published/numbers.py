"""Our numbers against published numbers."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Literal

from embspace.errors import InputError
from embspace.published.contents import Cell, Contents, read_contents
from embspace.published.sources import Entry, RowOfTwo, Source, read_sources
from embspace.published.subjects import Subject

PublishedVerdict = Literal["agrees", "DIFFERS", "MISSING"]


@dataclass(frozen=True)
class Check:
    """A published number and ours."""

    quantity: str
    published: str
    ours: str
    verdict: PublishedVerdict
    note: str = ""


@dataclass(frozen=True)
class SourceReport:
    """The numbers of a publication."""

    source: str
    checks: tuple[Check, ...]
    not_measured: dict[str, int]
    """The number of entries about a repository or `corpus <name>` missing in params.yaml."""


def check_published(
    results: Path, models: Collection[Subject], corpora: Collection[str]
) -> list[SourceReport]:
    """Check what was published about `models` and `corpora`; return one report per source."""
    return [_check_source(source, results, models, corpora) for source in read_sources()]


def agrees(ours: Cell, printed: str, factor: int, tolerance: float | None) -> bool:
    """Return whether our number rounds to the printed one, or is within `tolerance` of it.

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
    source: Source, results: Path, models: Collection[Subject], corpora: Collection[str]
) -> SourceReport:
    checks: list[Check] = []
    not_measured: dict[str, int] = {}
    for entry in source.entries:
        corpus = entry.where.get("corpus")
        measured = [model for model in models if model.is_meant_by(entry.model)]
        given = [model for model in measured if is_given(entry, model, results)]
        if given and (corpus is None or corpus in corpora):
            checks += [check for model in given for check in check_entry(entry, model, results)]
        else:
            lacking = _lacking(entry, bool(measured), bool(given))
            not_measured[lacking] = not_measured.get(lacking, 0) + len(entry.published)
    return SourceReport(source.source, tuple(checks), not_measured)


def _lacking(entry: Entry, measured: bool, given: bool) -> str:
    if measured and not given and entry.given:
        return entry.given.what
    return f"corpus {entry.where.get('corpus')}" if measured else entry.model


def is_given(entry: Entry, model: Subject, results: Path) -> bool:
    """Return whether the results of `model` meet the entry's condition."""
    if entry.given is None:
        return True
    file = model.file(entry.given.file, results)
    rows = read_contents(file).rows if file.is_file() else ()
    return any(fits(row, entry.given.where) for row in rows)


def check_entry(entry: Entry, model: Subject, results: Path) -> list[Check]:
    """The numbers of an entry beside numbers of `model`, perhaps of a different model."""
    file = model.file(entry.file, results)
    contents = read_contents(file) if file.is_file() else None
    return [_check_number(entry, file, contents, column) for column in entry.published]


def quantity_of(entry: Entry, column: str) -> str:
    """Return a number of an entry in words, as in reports and the ledger."""
    words = column.rpartition(".")[2].replace("_", " ")
    return f"{entry.quantity}: {'negative ' if entry.factor < 0 else ''}{words}"


def _check_number(entry: Entry, file: Path, contents: Contents | None, column: str) -> Check:
    printed, quantity = entry.published[column], quantity_of(entry, column)
    if contents is None:
        return Check(quantity, printed, f"no {file}", "MISSING")
    if column not in contents.columns:
        return Check(quantity, printed, f"no '{column}' in {file}", "MISSING")
    values = {row[column] for row in contents.rows if is_chosen(row, entry.where, entry.pair)}
    if not values:
        return Check(quantity, printed, f"no such row in {file}", "MISSING")
    if entry.nearest:
        values = {min(values, key=lambda value: abs(float(str(value)) - float(printed)))}
    if len(values) > 1:
        raise InputError(f"{file}: '{quantity}' fits rows of different {column}: {values}")
    ours = values.pop()
    verdict: PublishedVerdict = (
        "agrees" if agrees(ours, printed, entry.factor, entry.absolute_tolerance) else "DIFFERS"
    )
    return Check(
        quantity, printed, _times(ours, entry.factor), verdict, entry.note or entry.restates
    )


def fits(row: dict[str, Cell], where: Mapping[str, str | int]) -> bool:
    """Return whether a row has these values in these columns."""
    return all(str(row.get(column)) == str(value) for column, value in where.items())


def is_chosen(row: dict[str, Cell], where: Mapping[str, str | int], pair: RowOfTwo | None) -> bool:
    """Return whether a row has the values of `where`, and those of the pair in either order."""
    if not fits(row, where):
        return False
    if pair is None:
        return True
    values = sorted(str(row.get(column)) for column in pair.columns)
    return values == sorted(str(value) for value in pair.values)


def _times(ours: Cell, factor: int) -> str:
    try:
        return str(Decimal(str(ours)) * factor)
    except InvalidOperation:
        return str(ours) or "NaN"
