"""Runs the stages of an analysis or a chapter by its short name."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from itertools import product
from pathlib import Path
from threading import Thread

from embspace.app.durations import Durations
from embspace.app.prune import find_strays, remove
from embspace.app.remember import remember_runs
from embspace.app.repro import environment, stages_of, steps_of
from embspace.app.warm.python import warm_python
from embspace.errors import InputError, counted, not_among
from embspace.settings.params import read_params
from embspace.settings.pipeline import Stage, find_stages

FORCE = ("--force", "--no-run-cache")
LIST = re.compile(r"\$\{(models|corpora|profiled|compared|checkpointed|trained)\}")


def run_stages(name: str | None, model: str | None, *, force: bool = False) -> int:
    """Run `dvc repro` for the stages of a name and what they need; return its exit code.

    Before, what a dropped corpus has left is removed; afterwards, what was run is remembered.

    Args:
        name: A stage, a noun or a chapter: `measure_helix`, `helix` or `positional`; None for all.
        model: One of params.yaml, or None for all of them; also one of its runs.
        force: True if also what is up to date, or was computed before, is computed.

    Raises:
        InputError: if nothing is called so, or the model is not in params.yaml.
    """
    if name is None and model is not None:
        raise InputError("--model: needs an analysis or a chapter: `embspace run helix --model …`")
    read_params()  # says where to run from, if this is no tree
    targets = [] if name is None else addresses_of(Path(), name, model)
    if n_strays := _remove_strays():
        print(f"removed {counted(n_strays, 'file')} of what params.yaml no longer names")
    # `remember_runs` needs DVC in this process, too: it is imported while the stages run.
    importing = Thread(target=import_module, args=("dvc.repo",))
    importing.start()
    code = _reproduce(FORCE if force else (), targets)
    importing.join()
    remember_runs(Path())
    return code


def _remove_strays() -> int:
    """Remove what dropped corpora left, unless a run is at work that may still read it."""
    params = read_params()
    if not find_strays(params):
        return 0
    from dvc.lock import LockError
    from dvc.repo import Repo

    try:
        with Repo().lock:
            strays = find_strays(params)
            remove(strays)
    except LockError:
        return 0
    return len(strays)


def _reproduce(options: tuple[str, ...], targets: list[str]) -> int:
    """Run `dvc repro`, whose lines go on as they come; with each stage, what time is left."""
    with (
        warm_python(environment()) as given,
        subprocess.Popen(
            [sys.executable, "-m", "dvc", "repro", *options, *targets],
            env=given,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
        ) as process,
        suppress(subprocess.CalledProcessError),
    ):
        _tell_time(_lines(process), targets)
    return process.returncode


def _lines(process: "subprocess.Popen[str]") -> Iterator[str]:
    """Yield what a process prints; raise if it fails, for its last stage did not come to an end."""
    assert process.stdout is not None  # it is a pipe
    yield from process.stdout
    if process.wait():
        raise subprocess.CalledProcessError(process.returncode, process.args)


def _tell_time(lines: Iterator[str], targets: list[str]) -> None:
    """Print the lines, and before each stage that runs how many there are and what time is left."""
    durations, done, stages = Durations(Path()), set[str](), set[str]()
    for step in durations.timed(steps_of(lines, lambda line: print(line, end="", flush=True))):
        if step.runs:
            stages = stages or stages_of(Path(), targets)
            left = durations.time_left(stages - done)
            print(f"[{len(done) + 1} of {len(stages)}]{left}", flush=True)
        done.add(step.stage)


def addresses_of(root: Path, name: str, model: str | None) -> list[str]:
    """Return what `dvc repro` takes for the stages of a name."""
    stages = find_stages(root, name)
    if model is None:
        return _of_all(stages, name)
    parts = [part for each in stages for part in each.by_family() if _lists(part)]
    known = {item[0] for part in parts for item in _items(part)}
    if model not in known:
        raise InputError(f"--model: {not_among(model, sorted(known))}; params.yaml names them")
    return [
        part.address("-".join(item)) for part in parts for item in _items(part) if item[0] == model
    ]


def _of_all(stages: list[Stage], name: str) -> list[str]:
    """Return stages with an item at least: DVC takes one without any for the whole pipeline."""
    addresses = []
    for stage in stages:
        if stage.family:
            parts = stage.by_family()
            addresses += [part.address("-".join(item)) for part in parts for item in _items(part)]
        elif all(getattr(read_params(), key) for key in _lists(stage)):
            addresses.append(stage.address())
    if not addresses:
        keys = sorted({key for stage in stages for key in _lists(stage)})
        raise InputError(
            f"{name}: key '{keys[0]}' in params.yaml names nothing that it would be made of; "
            f"found {getattr(read_params(), keys[0])}"
        )
    return addresses


def _items(stage: Stage) -> list[tuple[str, ...]]:
    """Return what a stage is run for: models or runs of params.yaml, or these with a corpus."""
    return [*product(*(getattr(read_params(), key) for key in _lists(stage)))]


def _lists(stage: Stage) -> list[str]:
    """Return the keys of params.yaml that name them."""
    named = (LIST.fullmatch(str(each)) for each in stage.entry.get("matrix", {}).values())
    return [match[1] for match in named if match]
