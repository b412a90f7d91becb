"""Results as rows of cells, whether CSV or JSON.

Read with the standard library: cells stay as printed, and pandas alone would take longer to
start than the whole comparison.
"""

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from embspace.errors import InputError
from embspace.settings.params import STIMULI

Cell = str | int | float | bool | None
RowName = tuple[str, ...]
SUFFIXES = (".csv", ".json")
CORPUS_COLUMNS = ("corpus", "other_corpus")


@dataclass(frozen=True)
class Contents:
    """The rows of a table; a JSON file is one row, whose columns are dotted keys."""

    columns: tuple[str, ...]
    rows: tuple[dict[str, Cell], ...]

    @property
    def corpora(self) -> tuple[str, ...]:
        """The corpora of the rows, in order of appearance."""
        return tuple(dict.fromkeys(name for row in self.rows for name in corpora_in(row)))

    def about_corpora(self, corpora: Collection[str]) -> "Contents":
        """Return the contents without rows about other corpora, alone or in a pair."""
        return self.where(lambda row: set(corpora_in(row)) <= set(corpora))

    def where(self, is_kept: Callable[[Mapping[str, Cell]], bool]) -> "Contents":
        """Return the contents without the rows that are not kept."""
        return Contents(self.columns, tuple(filter(is_kept, self.rows)))

    def without(self, columns: Collection[str]) -> "Contents":
        """Without these columns."""
        kept = tuple(column for column in self.columns if column not in columns)
        rows = ({column: row[column] for column in kept} for row in self.rows)
        return Contents(kept, tuple(rows))

    @property
    def names(self) -> set[str]:
        """Return the models and runs named in rows; empty for a table about a single model."""
        return {str(row["name"]) for row in self.rows if "name" in row}

    def about_names(self, names: Collection[str]) -> "Contents":
        """Return the contents without rows of other models and runs."""
        return self.where(lambda row: "name" not in row or row["name"] in names)

    def by_name(self, names: Sequence[str]) -> dict[RowName, dict[str, Cell]]:
        """Rows by the cells in `names`, rows with equal cells numbered."""
        seen: Counter[RowName] = Counter()
        named = {}
        for row in self.rows:
            name = tuple(f"{column}={row[column]}" for column in names if column in row)
            seen[name] += 1
            nameless = not name and len(self.rows) > 1
            number = (f"#{seen[name]}",) if nameless or seen[name] > 1 else ()
            named[name + number] = row
        return named


def corpora_in(row: Mapping[str, Cell | str | int]) -> list[str]:
    """Return the corpora that a row is about: one, two for a pair, or none without such columns."""
    named = (str(row[column]) for column in CORPUS_COLUMNS if row.get(column))
    return [name for name in named if name != STIMULI]


def read_contents(path: Path) -> Contents:
    """The contents of a .csv or .json file.

    Raises:
        InputError: if the file is missing or malformed.
    """
    try:
        # Not read_text(): it would turn a line end inside a quoted cell into another.
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise InputError(f"{path}: not found; `dvc repro` makes it") from None
    except OSError as error:  # a folder in its place
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8: {error}") from None
    return _read_json(path, text) if path.suffix == ".json" else _read_csv(path, text)


def _read_json(path: Path, text: str) -> Contents:
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}: is no JSON: {error}") from None
    if not isinstance(content, dict):
        raise InputError(f"{path}: expected an object of keys and values, found {content!r:.60}")
    row = dict(_leaves(content, ""))
    return Contents(tuple(row), (row,))


def _leaves(content: Any, name: str) -> Iterator[tuple[str, Cell]]:
    if not isinstance(content, dict | list):
        yield name, content
        return
    items = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in items:
        yield from _leaves(value, f"{name}.{key}" if name else str(key))


def _read_csv(path: Path, text: str) -> Contents:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[dict[str, Cell]] = []
    try:
        columns = tuple(next(reader, ()))
        _check_header(path, columns)
        for cells in reader:
            if len(cells) != len(columns):
                raise InputError(
                    f"{path}, line {reader.line_num}: {len(cells)} cells "
                    f"under {len(columns)} columns"
                )
            rows.append(dict(zip(columns, cells, strict=True)))
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: is no CSV: {error}") from None
    return Contents(columns, tuple(rows))


def _check_header(path: Path, columns: tuple[str, ...]) -> None:
    if not columns:
        raise InputError(f"{path}: is empty; expected a line of column names")
    repeated = [column for column, n in Counter(columns).items() if n > 1]
    if repeated:
        raise InputError(f"{path}: the column '{repeated[0]}' is there more than once")
