"""Compares the tables of `embspace corpus` with the baselines of the corresponding stages.

Only values, and numbers of vectors and texts, are compared. Intervals have different units: shards
instead of groups of texts. A missing table or row that `embspace corpus` should make is a failure;
tables and rows never made by `embspace corpus` are named and counted.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from embspace.errors import InputError, counted
from embspace.geometry.measures.declaration import Family
from embspace.published.contents import Cell, Contents, read_contents
from embspace.stream.layers import CLOUDS
from embspace.stream.neighbors import OF_SAMPLE, sampled_measures
from embspace.stream.shard import SAMPLED
from embspace.stream.tables import FAMILIES, summed_measures
from embspace.verify.baselines import BASELINES
from embspace.verify.compare import Comparison, Fact, compare
from embspace.verify.rules import Tolerances, rules_of

COMPARED = ("value", "n", "n_texts")
# How many documents a sample has hangs on which texts are in it.
COMPARED_OF_SAMPLE = ("value", "n")
KINDS = ("profiles", "nulls", "curves")  # of tables of a family, of which the first is made
N_SHOWN = 10  # facts a table
Cloud = tuple[str, str]  # space and change


@dataclass(frozen=True)
class StreamedTable:
    """A table beside the baseline."""

    file: Path
    n_rows: int
    """In both."""
    n_left: int
    """Rows of the baseline, about the same corpora, that `embspace corpus` does not make."""
    n_sampled: int
    """Rows of a sample with fewer texts than the baseline's; they are not compared."""
    comparison: Comparison | None
    """The comparison; a row that only one side has is drift. None without a table."""

    @property
    def failed(self) -> bool:
        """Return whether the table is missing, or a number or row has drifted."""
        return self.comparison is None or bool(self.comparison.drifted)


def compare_streamed(folder: Path, tolerances: Tolerances) -> list[StreamedTable]:
    """Compare the tables in a folder of `embspace corpus` with baselines.

    Of every model and corpus with a table there, all tables are expected.

    Raises:
        InputError: if no table exists, or none with rows about a corpus of the baseline.
    """
    families: tuple[Family, ...] = (*FAMILIES, *OF_SAMPLE)
    by_file = {
        path.relative_to(folder): read_contents(path)
        for family in families
        for path in sorted(folder.glob(f"{family}/profiles/*.csv"))
    }
    if not by_file:
        raise InputError(
            f"{folder}: has no {FAMILIES[0]}/profiles/<model>.csv; `embspace corpus` makes it"
        )
    tables = []
    for name in sorted({file.name for file in by_file}):
        model_contents = [contents for file, contents in by_file.items() if file.name == name]
        corpora = {corpus for table in model_contents for corpus in table.corpora}
        for family in families:
            file = Path(family, "profiles", name)
            if (BASELINES / file).is_file():
                stored = read_contents(BASELINES / file).about_corpora(corpora)
                made = _made_clouds(by_file, name, OF_SAMPLE if family in OF_SAMPLE else FAMILIES)
                tables.append(_table(family, file, by_file.get(file), stored, made, tolerances))
    known = [table for table in tables if table is not None]
    if not known:
        raise InputError(f"{folder}: no table has a baseline of its model and corpus")
    return known


def _made_clouds(
    by_file: Mapping[Path, Contents], name: str, families: Collection[Family]
) -> set[Cloud]:
    """Return the clouds with rows of `embspace corpus`, in any family.

    A sample covers all spaces of the corpus, or is missing.
    """
    tables = [by_file.get(Path(family, "profiles", name)) for family in families]
    spaces = {str(row["space"]) for table in tables if table for row in table.rows}
    if families == OF_SAMPLE:
        return {(space, "as_is") for space in SAMPLED if spaces}
    return {cloud for cloud in CLOUDS if cloud[0] in spaces}


def _table(
    family: Family,
    file: Path,
    current: Contents | None,
    stored: Contents,
    clouds: Collection[Cloud],
    tolerances: Tolerances,
) -> StreamedTable | None:
    """Return a table beside the baseline; None if the baseline has no row about the corpora."""
    if not stored.rows:
        return None
    if current is None:
        return StreamedTable(file, 0, 0, 0, None)
    rules = rules_of(tolerances, file)
    names = rules.row_names(stored.columns)
    compared = COMPARED_OF_SAMPLE if family in OF_SAMPLE else COMPARED
    current, stored = (_with_columns(table, [*names, *compared]) for table in (current, stored))
    known, before = current.by_name(names), stored.by_name(names)
    # What neighbors give is of a sample, which may be all texts.
    sampled = {
        name
        for name, row in known.items()
        if family in OF_SAMPLE and name in before and _number(row["n"]) < _number(before[name]["n"])
    }
    made = {name for name, row in before.items() if name in known or _is_made(family, row, clouds)}
    made -= sampled
    comparison = compare(
        Contents(stored.columns, tuple(row for name, row in before.items() if name in made)),
        Contents(current.columns, tuple(row for name, row in known.items() if name not in sampled)),
        rules,
    )
    n_left = len(before) - len(made) - len(sampled)
    return StreamedTable(file, len(made & known.keys()), n_left, len(sampled), comparison)


def _is_made(family: Family, row: Mapping[str, Cell], clouds: Collection[Cloud]) -> bool:
    """Return whether `embspace corpus` makes a row, of these clouds."""
    if family in OF_SAMPLE:
        measures = sampled_measures(family)
    else:
        measures = [measure.name for measure in summed_measures(family)]
    return (row["space"], row["change"]) in clouds and row["measure"] in measures


def _number(cell: Cell) -> float:
    return float(str(cell))


def _with_columns(contents: Contents, columns: Sequence[str]) -> Contents:
    return contents.without([column for column in contents.columns if column not in columns])


def lines_of(tables: Sequence[StreamedTable]) -> list[str]:
    """Return the shown lines, the parts not compared, and the number of compared rows."""
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
    return f"{where}: baseline {fact.baseline}, found {fact.result}{allowed}"
