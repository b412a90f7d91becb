"""Runs the stages of an analysis or a chapter by the short name."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from embspace.app.prune import find_strays, remove
from embspace.app.repro.durations import rounded
from embspace.app.repro.repository import open_repository
from embspace.app.repro.side_by_side import Step, run_side_by_side
from embspace.errors import InputError, counted, not_among, visible
from embspace.settings.params import TOY, read_params
from embspace.settings.pipeline import Stage, find_stages, read_stages

if TYPE_CHECKING:
    from embspace.app.reporting.parts import Analysis

LIST = re.compile(r"\$\{(models|corpora|profiled|compared|checkpointed|trained|run_pages)\}")
DONE = ("ends", "cached", "current")


def run_stages(
    name: str | None, model: str | None, *, jobs: int | None = None, force: bool = False
) -> list[str]:
    """Run the outdated stages of a name, and the outdated stages before; return all of them.

    Leftovers of a dropped corpus are removed first. The names are as in dvc.lock, also for current
    stages.

    Args:
        name: A stage, a noun or a chapter: `measure_helix`, `helix` or `positional`; None for all.
        model: A model or a run of params.yaml, or None for all.
        jobs: Number of stages at once; None for one a core.
        force: True to compute stages that are up to date, or were computed before, as well.

    Raises:
        InputError: if the name is unknown, the model is not in params.yaml, or a stage fails.
    """
    if name is None and model is not None:
        raise InputError("--model: needs an analysis or a chapter: `embspace run helix --model …`")
    read_params()  # says where to run from, if this is no tree
    targets = [] if name is None else addresses_of(Path(), name, model)
    if name is not None:
        targets = list(dict.fromkeys([*targets, *_drawn_from(Path(), name, model)]))
    if n_strays := _remove_strays():
        print(f"removed {counted(n_strays, 'file')} of what params.yaml no longer names")
    steps = run_side_by_side(Path(), targets, show_line, jobs=jobs, force=force)
    done = tell(steps, lambda line: print(line, flush=True))
    if name is not None:
        for line in draw_noun(Path(), name, model):
            print(line, flush=True)
    return done


def draw_noun(root: Path, name: str, model: str | None) -> Iterator[str]:
    """Draw an analysis from the results, and yield the paths of figures and tables.

    For a chapter or a stage nothing is drawn here, for stages of the graph draw.
    """
    from embspace.app.reporting.growing import draw_analysis

    drawing = _drawing_stage(root, name)
    if drawing is None:
        return
    stages = find_stages(root, name)
    own = [stage for stage in stages if set(_lists(stage)) == set(_lists(drawing))]
    names = (
        sorted({item[0] for stage in own for item in _items(stage)}) if _lists(drawing) else [TOY]
    )
    for item in names:
        if model in (None, item):
            draw_analysis(root, _analysis(name, drawing), item)
            picture, tables = (Path(f"figures/{name}/{item}.{end}") for end in ("png", "md"))
            drawn = f"figure: {picture}, its tables" if (root / picture).is_file() else "tables"
            yield f"{drawn}: {tables}"
    yield f"results: results/{name}/"


def _drawn_from(root: Path, name: str, model: str | None) -> list[str]:
    """Return the addresses of all stages whose results the drawing of an analysis needs.

    Some drawings read what several analyses have measured.
    """
    from embspace.app.reporting.parts import makers

    drawing = _drawing_stage(root, name)
    if drawing is None or _lists(drawing) not in (["models"], ["profiled"]):
        return []
    analysis = _analysis(name, drawing)
    items = [item for (item,) in _items(drawing) if model in (None, item)]
    stages = [makers(root, item, [analysis]) for item in items]
    return [address for made in stages for addresses in made.values() for address in addresses]


def _drawing_stage(root: Path, noun: str) -> Stage | None:
    """Return the drawing stage of an analysis for every model, pair, run or toy."""
    drawings = (stage for stage in read_stages(root).values() if stage.name.startswith("draw_"))
    return next(
        (
            stage
            for stage in drawings
            if f"figures/{noun}/" in " ".join(stage.outputs()) and "run_pages" not in _lists(stage)
        ),
        None,
    )


def _analysis(noun: str, drawing: Stage) -> "Analysis":
    from embspace.app.reporting.parts import Analysis

    return Analysis(noun, drawing.name.partition("_")[2], 0, "")


def tell(steps: Iterable[Step], say: Callable[[str], object]) -> list[str]:
    """Print what happens to each step, and at the end how many stages ran; return the stages."""
    start, kinds, done = monotonic(), Counter[str](), []
    for step in steps:
        kinds[step.kind] += 1
        if step.kind in DONE:
            done.append(step.stage)
        if line := progress_line(step):
            say(line)
    say(summary(kinds, monotonic() - start))
    return done


def show_line(stage: str, line: str) -> None:
    """Print a line of a stage, after the name of the stage."""
    print(f"{stage}: {visible(line)}", flush=True)


def progress_line(step: Step) -> str:
    """Return the line printed for a step: nothing for a current stage."""
    beside = f", beside {', '.join(step.running)}" if step.running else ""
    if step.kind == "starts":
        return f"{step.stage} starts{beside}{step.time_left}"
    if step.kind == "runs":
        return f"{step.stage} has run for {rounded(step.seconds)}{beside}{step.time_left}"
    done = f"[{step.n_done} of {step.n_stages}] {step.stage}"
    if step.kind == "ends":
        return f"{done} done in {rounded(step.seconds)}"
    return f"{done} taken from the cache" if step.kind == "cached" else ""


def summary(kinds: Counter[str], seconds: float) -> str:
    """Return how many stages ran, were taken from the cache and were up to date."""
    n_stages = kinds["ends"] + kinds["cached"] + kinds["current"]
    if n_stages == kinds["current"]:
        return f"{counted(n_stages, 'stage')}: all up to date"
    return (
        f"{counted(n_stages, 'stage')} in {rounded(seconds)}: {kinds['ends']} computed, "
        f"{kinds['cached']} taken from the cache, {kinds['current']} up to date"
    )


def _remove_strays() -> int:
    """Remove what dropped corpora have left, unless a run at work may still read it."""
    params = read_params()
    if not find_strays(params):
        return 0
    from dvc.lock import LockError

    try:
        with open_repository(Path.cwd()).lock:
            strays = find_strays(params)
            remove(strays)
    except LockError:
        return 0
    return len(strays)


def addresses_of(root: Path, name: str, model: str | None) -> list[str]:
    """Return the arguments of `dvc repro` for the stages of a name."""
    stages = find_stages(root, name)
    if model is None:
        return _addresses(stages, name)
    stages = [stage for stage in stages if _lists(stage)]
    known = {item[0] for stage in stages for item in _items(stage)}
    if model not in known:
        raise InputError(f"--model: {not_among(model, sorted(known))}; params.yaml names them")
    return [
        stage.address("-".join(item))
        for stage in stages
        for item in _items(stage)
        if item[0] == model
    ]


def _addresses(stages: list[Stage], name: str) -> list[str]:
    """Return the stages that have any item: without one, DVC would run the whole pipeline."""
    params = read_params()
    addresses = [
        stage.address() for stage in stages if all(getattr(params, key) for key in _lists(stage))
    ]
    if not addresses:
        keys = sorted({key for stage in stages for key in _lists(stage)})
        raise InputError(
            f"{name}: key '{keys[0]}' in params.yaml names nothing that it would be made of; "
            f"found {getattr(params, keys[0])}"
        )
    return addresses


def _items(stage: Stage) -> list[tuple[str, ...]]:
    """Return the items of a stage: models or runs of params.yaml, or models with a corpus."""
    return [*product(*(getattr(read_params(), key) for key in _lists(stage)))]


def _lists(stage: Stage) -> list[str]:
    """Return the keys of params.yaml with the items of a stage."""
    named = (LIST.fullmatch(str(source)) for source in stage.entry.get("matrix", {}).values())
    return [match[1] for match in named if match]
