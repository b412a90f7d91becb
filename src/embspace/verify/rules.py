"""Reads how far each number may drift: tests/baselines/tolerances.yaml, checked.

A column of a table, or a key of a JSON file, is of a kind; a kind has a tolerance and a reason.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from embspace.errors import InputError
from embspace.settings.schema import Strict, read_yaml, validate

TOLERANCES = Path("tests/baselines/tolerances.yaml")


class Kind(Strict):
    """A kind of quantity: exact, with a tolerance, the larger of the two, or free."""

    reason: str = Field(min_length=1)
    names_row: bool = False
    """Exact, and part of what identifies a row."""
    exact: bool = False
    free: bool = False
    """Follows from columns with rules, and may change wherever these may."""
    relative: float = Field(default=0.0, ge=0)
    absolute: float = Field(default=0.0, ge=0)

    @model_validator(mode="after")
    def _one_way(self) -> "Kind":
        tolerant = self.relative > 0 or self.absolute > 0
        if (self.is_exact, self.free, tolerant).count(True) != 1:
            raise ValueError(
                "expected either `exact: true` (or `names_row: true`), or a tolerance "
                "`relative` or `absolute` above 0, or `free: true`"
            )
        return self

    @property
    def is_exact(self) -> bool:
        """Whether nothing may change."""
        return self.exact or self.names_row

    def allowed(self, baseline: float) -> float:
        """The largest allowed difference from `baseline`."""
        return max(self.relative * abs(baseline), self.absolute)


class Ranked(Strict):
    """A list sorted by a column; rounding decides between tied rows."""

    rank: str
    by: str
    """The ranking column."""
    identity: list[str] = Field(min_length=1)
    """The columns that identify a row, at any rank."""


class FileRules(Strict):
    """The rules for the files of some folders of results/ only."""

    columns: dict[str, str]


class RowRules(Strict):
    """The rules for some rows of a table: one column may hold quantities of several kinds."""

    where: dict[str, str] = Field(min_length=1)
    """Column -> the value by which these rows are known."""
    columns: dict[str, str]


class Tolerances(Strict):
    """Schema of tolerances.yaml."""

    kinds: dict[str, Kind]
    columns: dict[str, str]
    """Column, last JSON key or dotted JSON key, or a pattern of these -> name of a kind."""
    ranked: dict[str, Ranked] = {}
    """Folder under results/ -> ranked lists in the tables."""
    files: dict[str, FileRules] = {}
    """Folder under results/, or a pattern -> exceptions of the folder."""
    rows: dict[str, RowRules] = {}
    """Folder under results/ -> exceptions of some rows."""


@dataclass(frozen=True)
class Rules:
    """The rules for a file."""

    kinds: Mapping[str, Kind]
    columns: tuple[Mapping[str, str], ...]
    """The first mapping with the column decides."""
    ranked: Ranked | None
    rows: RowRules | None = None

    def kind(self, column: str) -> Kind | None:
        """Return the kind of a column or dotted key; None without a rule."""
        for columns in self.columns:
            if name := _lookup(columns, column):
                return self.kinds[name]
        return None

    def required_kind(self, column: str) -> Kind:
        """The kind of a column, if known."""
        kind = self.kind(column)
        if kind is None:
            raise KeyError(column)
        return kind

    def kind_of_cell(self, column: str, row: Mapping[str, Any]) -> Kind:
        """The kind of a column in a row, which may differ from that of other rows.

        Raises:
            KeyError: for a column without a rule.
        """
        own = self.rows
        is_own = own is not None and all(row.get(key) == at for key, at in own.where.items())
        name = own.columns.get(column) if own is not None and is_own else None
        return self.kinds[name] if name else self.required_kind(column)

    def for_columns(self, columns: Iterable[str]) -> "Rules":
        """The rules of a table with these columns: ranked only with all ranking columns present."""
        ranked = self.ranked
        if ranked and not {ranked.rank, ranked.by, *ranked.identity} <= set(columns):
            return replace(self, ranked=None)
        return self

    def row_names(self, columns: Iterable[str]) -> list[str]:
        """Return those of `columns` that identify a row."""
        named = [c for c in columns if (kind := self.kind(c)) is not None and kind.names_row]
        if self.ranked is None:
            return named
        return [c for c in named if c != self.ranked.rank] + self.ranked.identity


def read_tolerances() -> Tolerances:
    """Return tolerances.yaml, checked.

    Raises:
        InputError: also for a column of an unknown kind.
    """
    tolerances = validate(Tolerances, read_yaml(TOLERANCES), str(TOLERANCES))
    _check_kinds(tolerances, "columns", tolerances.columns)
    for folder, rules in tolerances.files.items():
        _check_kinds(tolerances, f"files.{folder}.columns", rules.columns)
    for folder, row_rules in tolerances.rows.items():
        _check_kinds(tolerances, f"rows.{folder}.columns", row_rules.columns)
    return tolerances


def rules_of(tolerances: Tolerances, file: Path) -> Rules:
    """Return the rules of a file; the path is relative to results/."""
    folder = file.parent.as_posix()
    files = (rules for pattern, rules in tolerances.files.items() if fnmatchcase(folder, pattern))
    columns = (*(rules.columns for rules in islice(files, 1)), tolerances.columns)
    return Rules(
        tolerances.kinds, columns, tolerances.ranked.get(folder), tolerances.rows.get(folder)
    )


def _lookup(columns: Mapping[str, str], column: str) -> str | None:
    last = column.rpartition(".")[2]
    for name in (column, last):
        if name in columns:
            return columns[name]
    for pattern, kind in columns.items():
        if fnmatchcase(column, pattern) or fnmatchcase(last, pattern):
            return kind
    return None


def _check_kinds(tolerances: Tolerances, where: str, columns: Mapping[str, Any]) -> None:
    for column, kind in columns.items():
        if kind not in tolerances.kinds:
            raise InputError(
                f"{TOLERANCES}: key '{where}.{column}': the kind '{kind}' is unknown; "
                f"described under `kinds`: {', '.join(sorted(tolerances.kinds))}"
            )
