"""Holds the tables of `embspace corpus` against the baselines of the stages that write the same.

Only values are compared, and of how many vectors and texts they are. Intervals have other units:
shards instead of groups of texts. A table or row that `embspace corpus` makes and that is not there
is a failure; tables and rows that it never makes are named and counted.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from embspace.errors import InputError, counted
from embspace.published.contents import Cell, Contents, read_contents
from embspace.stream.layers import CLOUDS
from embspace.stream.neighbors import OF_SAMPLE
from embspace.stream.tables import FAMILIES, summed_measures
from embspace.verify.baselines import BASELINES
from embspace.verify.compare import Comparison, Fact, compare
from embspace.verify.rules import Tolerances, rules_of

COMPARED = ("value", "n", "n_texts")
# A sample's texts are counted one by one, those of the stage by the documents that they share.
COMPARED_OF_SAMPLE = ("value", "n")
KINDS = ("profiles", "nulls", "curves")  # of tables of a family, of which the first is made
N_SHOWN = 10  # facts a table


@dataclass(frozen=True)
class StreamedTable:
    """One table beside its baseline."""

    file: Path
    n_rows: int
    """In both."""
    n_left: int
    """Rows of the baseline, about the same corpora, that `embspace corpus` does not make."""
    n_sampled: int
    """Rows about a sample of fewer texts than those of the baseline, which are not compared."""
    comparison: Comparison | None
    """The comparison; one that a side lacks is drift. None of a table that is not there."""

    @property
    def failed(self) -> bool:
        """Whether the table is not there, or a number or row has drifted."""
        return self.comparison is None or bool(self.comparison.drifted)


def compare_streamed(folder: Path, tolerances: Tolerances) -> list[StreamedTable]:
    """Compare the tables in a folder of `embspace corpus` that have baselines.

    Of each model and corpus that has one table there, all are expected.

    Raises:
        InputError: if there is no table, or none with rows about a corpus of its baseline.
    """
    families = (*FAMILIES, *OF_SAMPLE)
    found = {
        path.relative_to(folder): read_contents(path)
        for family in families
        for path in sorted(folder.glob(f"{family}/profiles/*.csv"))
    }
    if not found:
        raise InputError(
            f"{folder}: has no {FAMILIES[0]}/profiles/<model>.csv; `embspace corpus` makes it"
        )
    tables = []
    for name in sorted({file.name for file in found}):
        of_model = [each for file, each in found.items() if file.name == name]
        corpora = {corpus for each in of_model for corpus in each.corpora}
        spaces = {str(row["space"]) for each in of_model for row in each.rows}
        for family in families:
            file = Path(family, "profiles", name)
            if (BASELINES / file).is_file():
                stored = read_contents(BASELINES / file).of_corpora(corpora)
                tables.append(_table(family, file, found.get(file), stored, spaces, tolerances))
    known = [table for table in tables if table is not None]
    if not known:
        raise InputError(f"{folder}: no table has a baseline of its model and corpus")
    return known


def _table(
    family: str,
    file: Path,
    found: Contents | None,
    stored: Contents,
    spaces: Collection[str],
    tolerances: Tolerances,
) -> StreamedTable | None:
    """Return one table beside its baseline; None if this has no row about its corpora."""
    if not stored.rows:
        return None
    if found is None:
        return StreamedTable(file, 0, 0, 0, None)
    rules = rules_of(tolerances, file)
    names = rules.row_names(stored.columns)
    compared = COMPARED_OF_SAMPLE if family in OF_SAMPLE else COMPARED
    found, stored = (_with_columns(each, [*names, *compared]) for each in (found, stored))
    known, before = found.by_name(names), stored.by_name(names)
    # What neighbors give is of a sample, which may be all texts.
    sampled = {
        name
        for name, row in known.items()
        if family in OF_SAMPLE and name in before and _number(row["n"]) < _number(before[name]["n"])
    }
    made = {name for name, row in before.items() if name in known or _is_made(family, row, spaces)}
    made -= sampled
    comparison = compare(
        Contents(stored.columns, tuple(row for name, row in before.items() if name in made)),
        Contents(found.columns, tuple(row for name, row in known.items() if name not in sampled)),
        rules,
    )
    n_left = len(before) - len(made) - len(sampled)
    return StreamedTable(file, len(made & known.keys()), n_left, len(sampled), comparison)


def _is_made(family: str, row: Mapping[str, Cell], spaces: Collection[str]) -> bool:
    """Return whether `embspace corpus` makes a row of these spaces from sums."""
    cloud = (str(row["space"]), str(row["change"]))
    summed = [each.name for known in FAMILIES if known == family for each in summed_measures(known)]
    return cloud in CLOUDS and cloud[0] in spaces and row["measure"] in summed


def _number(cell: Cell) -> float:
    return float(str(cell))


def _with_columns(contents: Contents, columns: Sequence[str]) -> Contents:
    return contents.without([column for column in contents.columns if column not in columns])


def lines_of(tables: Sequence[StreamedTable]) -> list[str]:
    """Return what is shown of tables, what was not compared, and the number of rows that were."""
    lines = [line for table in tables for line in _lines(table)]
    n_rows, lacking = (
        sum(table.n_rows for table in tables),
        [t for t in tables if t.comparison is None],
    )
    lines.append(
        f"{counted(n_rows, 'row')} compared in {counted(len(tables) - len(lacking), 'table')}: "
        f"{', '.join(COMPARED)}; not intervals, whose units are shards"
    )
    if lacking:
        lines.append(f"lacking: {', '.join(str(table.file) for table in lacking)}")
    never = [
        str(Path(family, kind, name))
        for name in sorted({table.file.name for table in tables})
        for family in (*FAMILIES, *OF_SAMPLE)
        for kind in KINDS[1:]
        if (BASELINES / family / kind / name).is_file()
    ]
    if never:
        lines.append(f"never made by `embspace corpus`: {', '.join(never)}")
    return lines


def _lines(table: StreamedTable) -> list[str]:
    if table.comparison is None:
        return [f"{table.file}: MISSING; `embspace corpus` makes it"]
    drifted = table.comparison.drifted
    verdict = "DRIFTED" if drifted else "agrees" if table.n_rows else "nothing to compare"
    sampled = f", {table.n_sampled:,} of a smaller sample" if table.n_sampled else ""
    lines = [
        f"{table.file}: {verdict}; "
        f"{counted(table.n_rows, 'row')} compared{sampled}, "
        f"{table.n_left:,} of the baseline not made by `embspace corpus`; farthest "
        f"{table.comparison.worst:.2g} of what is allowed"
    ]
    lines += [f"  {_shown(fact)}" for fact in drifted[:N_SHOWN]]
    if len(drifted) > N_SHOWN:
        lines.append(f"  and {len(drifted) - N_SHOWN:,} more")
    return lines


def _shown(fact: Fact) -> str:
    where = " ".join(part for part in (", ".join(fact.row), fact.column) if part)
    allowed = f", allowed {fact.allowed}" if fact.allowed else ""
    return f"{where}: baseline {fact.baseline}, found {fact.found}{allowed}"
