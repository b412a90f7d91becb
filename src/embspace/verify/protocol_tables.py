"""Compares somebody's tables with one's own under the same protocol."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from embspace.errors import InputError, counted
from embspace.published.contents import SUFFIXES, read_contents
from embspace.settings.params import PAIR
from embspace.settings.pipeline import ITEM, Stage, read_stages
from embspace.verify.compare import Fact, compare
from embspace.verify.protocol import (
    ABSENT,
    Difference,
    differences,
    hash_of,
    judges_in,
    read_protocol,
)
from embspace.verify.protocol_record import RECORD, RESULTS, Record, read_record
from embspace.verify.rules import read_tolerances, rules_of

SAME, WITHIN, OUTSIDE = "same", "within tolerance", "outside"
NOT_COMPARABLE, NOT_HERE, NOT_RECORDED = "not comparable", "not computed here", "not recorded"
N_SHOWN = 10  # cells of a table, and reasons


class TableVerdict(NamedTuple):
    """How a table agrees with one's own."""

    file: Path
    """Below the folder of results."""
    verdict: str
    reasons: list[str]


def compare_tables(name: str, theirs: Path) -> list[TableVerdict]:
    """Return the verdict on a table, or on all tables in a folder, of another study.

    A table counts as recorded only if both versions are as a run under the protocol has left them.
    A table is not comparable if a package, its model or judge, or a text differs, or the code or a
    setting of its stage or of an earlier stage.

    Raises:
        InputError: if a study has no record of the protocol, or the record of this study differs
            from the protocol.
    """
    frozen = read_protocol(name)
    own = read_record(name, RESULTS)
    if wrong := differences(own.state, frozen):
        raise InputError(f"{RESULTS / RECORD}: {wrong[0]}; `embspace run --protocol {name}` again")
    folder = _folder_with_record(name, theirs)
    other = read_record(name, folder)
    differing = differences(other.state, {**frozen, "models": own.state["models"]})
    comparison = _Comparison(own, other, folder, differing)
    start = theirs if theirs.is_relative_to(folder) else folder
    files = [start] if start.is_file() else sorted(start.rglob("*"))
    places = [file.relative_to(folder) for file in files if file.suffix in SUFFIXES]
    return [comparison.verdict(place) for place in places if len(place.parts) > 1]


class _Comparison:
    """Compares tables of another study with our own."""

    def __init__(
        self, own: Record, other: Record, folder: Path, differing: list[Difference]
    ) -> None:
        self._own, self._other, self._folder, self._differing = own, other, folder, differing
        self._stages, self._tolerances = read_stages(Path()), read_tolerances()

    def verdict(self, place: Path) -> TableVerdict:
        """Return the verdict on a table, by the path below the results."""
        if not (RESULTS / place).is_file():
            return TableVerdict(place, NOT_HERE, [])
        if lines := [*self._unrecorded(place)]:
            return TableVerdict(place, NOT_RECORDED, lines)
        if reasons := [*self._reasons(place)]:
            return TableVerdict(place, NOT_COMPARABLE, reasons)
        ours, other = read_contents(RESULTS / place), read_contents(self._folder / place)
        result = compare(ours, other, rules_of(self._tolerances, place))
        verdict = SAME if result.worst == 0 else WITHIN
        cells = [_line(fact) for fact in result.drifted]
        return TableVerdict(place, OUTSIDE if cells else verdict, cells)

    def _unrecorded(self, place: Path) -> Iterator[str]:
        """Yield the sides whose table no run has made, or whose table has changed since the run."""
        sides = ("here", RESULTS, self._own), ("there", self._folder, self._other)
        for side, folder, recorded in sides:
            known = recorded.tables.get(place.as_posix())
            if known is None:
                yield f"{side}: no run under the protocol has made it"
            elif known != hash_of((folder / place).read_bytes()):
                yield f"{side}: changed since the run under the protocol"

    def _reasons(self, place: Path) -> Iterator[str]:
        """Yield the differences with an effect on a table."""
        makers = {name for name, stage in self._stages.items() if _makes(stage, place)}
        needed = with_stages_before(makers, self._stages)
        read = [path for name in needed for path in _read_by(self._stages[name])]
        judges = judges_in(self._own.state["settings"], tuple(map(_beginning, read)))
        models = [*place.stem.split(PAIR), *judges]
        for difference in [*self._differing, *self._judges_of_one(judges)]:
            kind, name = difference.kind, difference.name
            concerns = {
                "code": name in needed,
                "settings": name.startswith("conf/corpus/") or _is_among(name, read),
                "texts": _is_among(name, read),
                "models": name in models,
            }
            if not makers or concerns.get(kind, True):
                yield f"{kind}: {difference}"

    def _judges_of_one(self, judges: list[str]) -> Iterator[Difference]:
        """Yield the judges of texts in only one of the studies."""
        here, there = (side.state["models"] for side in (self._own, self._other))
        for judge in judges:
            if (judge in here) != (judge in there):
                sides = (side.get(judge, ABSENT) for side in (there, here))
                yield Difference("models", judge, *sides)


def _folder_with_record(name: str, theirs: Path) -> Path:
    """Return the folder of results at or above a path."""
    if not theirs.exists():
        raise InputError(f"{theirs}: not found, allowed: a folder of results, or a table in one")
    folders = [theirs / RESULTS, theirs, *theirs.parents]
    for folder in folders:
        if (folder / RECORD).is_file():
            return folder
    raise InputError(
        f"{theirs}: no {RECORD} there or above; `embspace run --protocol {name}` writes it beside "
        "the results"
    )


def _makes(stage: Stage, place: Path) -> bool:
    path = (RESULTS / place).as_posix()
    return any(re.fullmatch(_pattern(output), path) for output in stage.outputs())


def _pattern(path: str) -> str:
    return ".+".join(map(re.escape, re.split(r"\$\{[^}]*\}", path)))


def _read_by(stage: Stage) -> Iterator[str]:
    for given in stage.entry.get("params", ()):
        yield given if isinstance(given, str) else next(iter(given))
    yield from stage.deps()


def _beginning(path: str) -> str:
    """Return a path up to the first name that an item of a matrix fills in."""
    return path.partition("${")[0]


def _is_among(name: str, read: list[str]) -> bool:
    """Return whether a file, or the file of a key, is among paths or lies below one of them."""
    return any(re.match(rf"{_pattern(path)}(/|: |$)", name) for path in read)


def with_stages_before(names: set[str], stages: Mapping[str, Stage]) -> set[str]:
    """Return stages with all earlier stages in the graph."""
    needed, waiting = set(names), [*names]
    while waiting:
        deps = [_bare(dep) for dep in stages[waiting.pop()].deps()]
        for name, stage in stages.items():
            outputs = map(_bare, stage.outputs())
            if name not in needed and any(_meet(dep, out) for out in outputs for dep in deps):
                needed.add(name)
                waiting.append(name)
    return needed


def _bare(path: str) -> str:
    return ITEM.sub("*", path)


def _meet(dep: str, output: str) -> bool:
    """Return whether two paths are equal, or one lies below the other."""
    return dep == output or dep.startswith(f"{output}/") or output.startswith(f"{dep}/")


def _line(fact: Fact) -> str:
    place = f"{', '.join(fact.row)}: " if fact.row else ""
    allowed = f", allowed {fact.allowed}" if fact.allowed else ""
    return f"{place}{fact.column}: here {fact.baseline}, there {fact.result}{allowed}"


def lines_of(verdicts: list[TableVerdict]) -> Iterator[str]:
    """Yield lines on tables with differences, and the numbers of verdicts."""
    for file, verdict, reasons in verdicts:
        if verdict != SAME or len(verdicts) == 1:
            yield f"{file}: {verdict}"
        yield from (f"  {line}" for line in reasons[:N_SHOWN])
        if len(reasons) > N_SHOWN:
            yield f"  and {len(reasons) - N_SHOWN} more"
    kinds = [table.verdict for table in verdicts]
    counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    yield f"{counted(len(kinds), 'table')}: {counts or 'none found'}"


def agree(verdicts: list[TableVerdict]) -> bool:
    """Return whether all tables are the same or within tolerance, and there is at least one."""
    return bool(verdicts) and all(table.verdict in (SAME, WITHIN) for table in verdicts)
