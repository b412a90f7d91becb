"""Finds comparable results after a change of the list of corpora in params.yaml.

A row on a corpus stays comparable if both sides have the row. Where all corpora lie on one map, are
cut down to the smallest, or share a random generator, a new corpus changes the numbers of all
corpora.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from embspace.published.contents import Cell, Contents, corpora_in
from embspace.published.numbers import quantity_of
from embspace.published.sources import Claim, Source

JOINT = {
    "text_maps/*": ("*",),
    "text_clouds/distributions": ("mean_low", "mean_high"),
    "text_clouds/positive": ("*_low", "*_high"),
    "text_clouds/spectrum": ("equal_n*", "null_*"),
    "text_clouds/shapes": ("*_difference*",),
    "text_clouds/separation": ("*auc*", "n_equal_length_pairs", "*_low", "*_high"),
    "search": ("*_low", "*_high"),
    "evolution/layers": ("mean_low", "mean_high"),
    "evolution/shared_steps": ("shared_energy_low", "shared_energy_high"),
    "measures": ("difference_low", "difference_high"),
}
"""Folder under results/ -> its columns that depend on all corpora."""
LEDGER = "ledger"
TEXTS_IN = {"evolution": "tokens"}
"""Noun -> a column with names of corpora among texts of other kinds."""
IN_GROUP = {"evolution": 1, "search": 1, "text_clouds": 2}
"""Noun -> how many parts of the `group` of a comparison, the first ones, may name corpora."""


@dataclass(frozen=True)
class Corpora:
    """The corpora of the baselines and the corpora of params.yaml, both in order."""

    before: tuple[str, ...]
    now: tuple[str, ...]

    @property
    def changed(self) -> bool:
        """Whether the lists differ, also in order: tables of pairs depend on the order."""
        return self.before != self.now

    def is_new(self, name: str) -> bool:
        """Return whether a corpus of params.yaml is missing in the baselines."""
        return name in self.now and name not in self.before

    def have(self, names: Sequence[str]) -> bool:
        """Return whether both sides have all `names`, in the same order."""
        if not set(names) <= {*self.before} & {*self.now}:
            return False
        return sorted(names, key=self.before.index) == sorted(names, key=self.now.index)

    def in_row(self, file: Path, row: Mapping[str, Cell | str | int]) -> list[str]:
        """Return the corpora of a row of a result."""
        named = [str(row.get(TEXTS_IN.get(file.parts[0], ""), ""))]
        parts = str(row.get("group", "")).split(" / ")  # a comparison joins what the columns say
        named += parts[: IN_GROUP.get(str(row.get("noun")), 0)]
        return corpora_in(row) + [name for name in named if name in {*self.before, *self.now}]


def corpora_before(baselines: Iterable[Contents], now: Sequence[str]) -> tuple[str, ...]:
    """The corpora of some baselines; `now` for baselines without corpora.

    In the order of the table with most corpora.
    """
    lists = sorted((contents.corpora for contents in baselines), key=len, reverse=True)
    return tuple(dict.fromkeys(name for names in lists for name in names)) or tuple(now)


def left_out(file: Path) -> str:
    """Return which part of a result is left out because the corpora have changed; "" for none."""
    if is_whole(file):
        return "all"
    if file.parts[0] == LEDGER:
        return "what rests on these"
    patterns = _patterns(file)
    return f"the columns {', '.join(patterns)}" if patterns else ""


def joint_columns(file: Path, columns: Iterable[str]) -> tuple[str, ...]:
    """Return those of `columns` of a result, relative to results/, that depend on all corpora."""
    patterns = _patterns(file)
    return tuple(c for c in columns if any(fnmatchcase(c, pattern) for pattern in patterns))


def is_whole(file: Path) -> bool:
    """Whether all corpora enter into all of a result, and nothing can be compared."""
    counts = file.parent.as_posix() == LEDGER and file.suffix == ".json"
    return counts or "*" in _patterns(file)


def comparable(
    file: Path, contents: Contents, corpora: Corpora, sources: Sequence[Source]
) -> Contents:
    """Return the result without the rows and columns that a changed list of corpora affects.

    The ledger loses the rows that rest on affected numbers of other results.
    """
    if not corpora.changed:
        return contents
    kept = contents.where(lambda row: corpora.have(corpora.in_row(file, row)))
    if file.parts[0] == LEDGER:
        resting = resting_statements(sources, corpora)
        kept = kept.where(lambda row: row.get("statement") not in resting)
    return kept.without(joint_columns(file, kept.columns))


def resting_statements(sources: Iterable[Source], corpora: Corpora) -> set[str]:
    """Return the ledger's statements that rest on numbers affected by a changed list of corpora."""
    statements = set()
    for source in sources:
        for entry in source.entries:
            if _rests(entry.file, entry.where, entry.published, corpora):
                statements |= {quantity_of(entry, column) for column in entry.published}
        statements |= {claim.claim for claim in source.claims if _claim_rests(claim, corpora)}
    return statements


def _claim_rests(claim: Claim, corpora: Corpora) -> bool:
    places = [cell for rule in (claim, *claim.otherwise) for cell in rule.cells]
    return any(_rests(cell.file, cell.chosen_by, cell.columns.values(), corpora) for cell in places)


def _rests(
    path: str, where: Mapping[str, str | int], columns: Collection[str], corpora: Corpora
) -> bool:
    file = Path(path).relative_to("results")
    if is_whole(file) or joint_columns(file, columns):
        return True
    return not corpora.have(corpora.in_row(file, where))


def _patterns(file: Path) -> list[str]:
    folder = file.parent.as_posix()
    return [
        column for pattern in JOINT if fnmatchcase(folder, pattern) for column in JOINT[pattern]
    ]
