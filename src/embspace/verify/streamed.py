"""Holds the tables of `embspace corpus` against the baselines of the stage `measure_profiles`.

Only values are compared, and of how many vectors and texts they are. Intervals have other units:
shards instead of groups of texts. Rows of other changes of coordinates are not there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from embspace.errors import InputError, counted
from embspace.published.contents import Contents, read_contents
from embspace.verify.baselines import BASELINES
from embspace.verify.compare import Comparison, Fact, compare
from embspace.verify.rules import Tolerances, rules_of

TABLES = ("direction/profiles", "spectrum/profiles")
COMPARED = ("value", "n", "n_texts")
N_SHOWN = 10  # facts a table


@dataclass(frozen=True)
class StreamedTable:
    """One table beside its baseline."""

    file: Path
    n_rows: int
    """In both."""
    n_left: int
    """Rows of the baseline, about the same corpora, that the table has not."""
    comparison: Comparison
    """The comparison of the table's rows; one that the baseline lacks is drift."""


def compare_streamed(folder: Path, tolerances: Tolerances) -> list[StreamedTable]:
    """Compare the tables in a folder of `embspace corpus` that have baselines.

    Raises:
        InputError: if there is no table, or none with rows about a corpus of its baseline.
    """
    files = [
        path.relative_to(folder)
        for table in TABLES
        for path in sorted(folder.glob(f"{table}/*.csv"))
    ]
    if not files:
        raise InputError(f"{folder}: has no {TABLES[0]}/<model>.csv; `embspace corpus` makes it")
    found = [_table(folder, file, tolerances) for file in files if (BASELINES / file).is_file()]
    tables = [table for table in found if table is not None]
    if not tables:
        raise InputError(f"{folder}: no table has a baseline of its model and corpus")
    return tables


def _table(folder: Path, file: Path, tolerances: Tolerances) -> StreamedTable | None:
    """Return one table beside its baseline; None if this has no row about its corpora."""
    streamed, stored = read_contents(folder / file), read_contents(BASELINES / file)
    stored = stored.of_corpora(streamed.corpora)
    if not stored.rows:
        return None
    rules = rules_of(tolerances, file)
    names = rules.row_names(stored.columns)
    streamed, stored = (_with_columns(each, [*names, *COMPARED]) for each in (streamed, stored))
    known = streamed.by_name(names)
    kept = tuple(row for name, row in stored.by_name(names).items() if name in known)
    comparison = compare(Contents(stored.columns, kept), streamed, rules)
    return StreamedTable(file, len(kept), len(stored.rows) - len(kept), comparison)


def _with_columns(contents: Contents, columns: Sequence[str]) -> Contents:
    return contents.without([column for column in contents.columns if column not in columns])


def lines_of(tables: Sequence[StreamedTable]) -> list[str]:
    """Return what is shown of tables, and what was not compared."""
    lines = []
    for table in tables:
        drifted = table.comparison.drifted
        verdict = "DRIFTED" if drifted else "agrees"
        lines.append(
            f"{table.file}: {verdict}; {counted(table.n_rows, 'row')} compared, "
            f"{table.n_left:,} of the baseline not made by `embspace corpus`; farthest "
            f"{table.comparison.worst:.2g} of what is allowed"
        )
        lines += [f"  {_shown(fact)}" for fact in drifted[:N_SHOWN]]
        if len(drifted) > N_SHOWN:
            lines.append(f"  and {len(drifted) - N_SHOWN:,} more")
    lines.append(f"compared: {', '.join(COMPARED)}; not intervals, whose units are shards")
    return lines


def _shown(fact: Fact) -> str:
    where = " ".join(part for part in (", ".join(fact.row), fact.column) if part)
    allowed = f", allowed {fact.allowed}" if fact.allowed else ""
    return f"{where}: baseline {fact.baseline}, found {fact.found}{allowed}"
