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
    RECORD,
    RESULTS,
    Difference,
    State,
    differences,
    read_protocol,
    read_state,
)
from embspace.verify.rules import read_tolerances, rules_of

SAME, WITHIN, OUTSIDE = "same", "within tolerance", "outside"
NOT_COMPARABLE, NOT_HERE = "not comparable", "not computed here"
N_SHOWN = 10  # cells of a table, and reasons


class TableVerdict(NamedTuple):
    """How a table agrees with one's own."""

    file: Path
    """Below the folder of results."""
    verdict: str
    reasons: list[str]


def compare_tables(name: str, theirs: Path) -> list[TableVerdict]:
    """Return the verdict on a table, or on all tables in a folder, of another study.

    A table is not comparable after a change of packages, of the model, or of texts, code and
    settings of the stage and all stages before.

    Raises:
        InputError: if a study has no record of the protocol, or the own record differs.
    """
    frozen = read_protocol(name)
    own = _record(name, RESULTS)
    if wrong := differences(own, frozen):
        raise InputError(f"{RESULTS / RECORD}: {wrong[0]}; `embspace run --protocol {name}` again")
    folder = _folder_with_record(name, theirs)
    state = _record(name, folder)
    found = differences(state, {**frozen, "models": own["models"]})
    stages, tolerances = read_stages(Path()), read_tolerances()
    verdicts = []
    for file in [theirs] if theirs.is_file() else sorted(folder.rglob("*")):
        place = file.relative_to(folder)
        if file.suffix not in SUFFIXES or len(place.parts) == 1:
            continue
        if not (RESULTS / place).is_file():
            verdicts.append(TableVerdict(place, NOT_HERE, []))
        elif reasons := [*_reasons(place, found, state, stages)]:
            verdicts.append(TableVerdict(place, NOT_COMPARABLE, reasons))
        else:
            ours, other = read_contents(RESULTS / place), read_contents(file)
            result = compare(ours, other, rules_of(tolerances, place))
            verdict = SAME if result.worst == 0 else WITHIN
            cells = [_line(fact) for fact in result.drifted]
            verdicts.append(TableVerdict(place, OUTSIDE if cells else verdict, cells))
    return verdicts


def _record(name: str, folder: Path) -> State:
    file = folder / RECORD
    if not file.is_file():
        raise InputError(f"{file}: not found; `embspace run --protocol {name}` writes it")
    return read_state(file, name)


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


def _reasons(
    place: Path, found: list[Difference], state: State, stages: Mapping[str, Stage]
) -> Iterator[str]:
    """Yield the differences below a table."""
    makers = {name for name, stage in stages.items() if _makes(stage, place)}
    needed = with_stages_before(makers, stages)
    read = [path for name in needed for path in _read_by(stages[name])]
    models = place.stem.split(PAIR)
    for difference in found:
        kind, name = difference.kind, difference.name
        concerns = {
            "code": name in needed,
            "settings": name.startswith((*read, "conf/corpus/")),
            "texts": name.startswith(tuple(read)),
            "models": name in models,
        }
        if not makers or concerns.get(kind, True):
            yield f"{kind}: {difference}"


def _makes(stage: Stage, place: Path) -> bool:
    path = (RESULTS / place).as_posix()
    return any(re.fullmatch(_pattern(output), path) for output in stage.outputs())


def _pattern(path: str) -> str:
    return ".+".join(map(re.escape, re.split(r"\$\{[^}]*\}", path)))


def _read_by(stage: Stage) -> Iterator[str]:
    for given in [*stage.entry.get("params", ()), *stage.entry.get("deps", ())]:
        yield given if isinstance(given, str) else next(iter(given))


def with_stages_before(names: set[str], stages: Mapping[str, Stage]) -> set[str]:
    """Return stages with all stages before them in the graph."""
    needed, waiting = set(names), [*names]
    while waiting:
        deps = [_bare(dep) for dep in stages[waiting.pop()].entry.get("deps", ())]
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
    return f"{place}{fact.column}: here {fact.baseline}, there {fact.found}{allowed}"


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
    """Return whether all tables are the same or within tolerance, and there is one."""
    return bool(verdicts) and all(table.verdict in (SAME, WITHIN) for table in verdicts)
