"""Runs `dvc repro` in a folder, and tells stage by stage how far it is."""

import os
import platform
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from embspace.app.warm.python import warm_python
from embspace.errors import InputError
from embspace.settings.params import PARAMS
from embspace.settings.pipeline import GRAPH, stage_names
from embspace.settings.schema import read_yaml

# How `dvc repro` says that it has come to a stage.
# Before the name stands the graph, if it is not the root's.
RUNNING = re.compile(r"Running stage '(?:[^':]+:)?([^']+)'")
KNOWN = re.compile(r"Stage '(?:[^':]+:)?([^']+)' (?:is cached|didn't change)")
# One kind of kernel, as in the Makefile: each kind rounds in its own way.
KERNELS = {
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
}
# glibc gives the memory of each large array back at once, and the next one is zeroed anew: a tenth
# of the time of the family `spectrum`. Kept until a process ends; of the two there, peaks were a
# twentieth higher. Tried with glibc 2.36; changes no number anywhere.
HEAP = {"MALLOC_MMAP_THRESHOLD_": str(2**32), "MALLOC_TRIM_THRESHOLD_": str(2**34)}
TAIL = 20  # lines of a stage that failed without saying why


@dataclass(frozen=True)
class Step:
    """A stage that `dvc repro` has come to, and whether it has to be run."""

    stage: str
    runs: bool


def run_repro(folder: Path, targets: Sequence[str], log: Path, *, held: int) -> Iterator[Step]:
    """Run `dvc repro` for the targets, and yield a step for each stage as it comes to it.

    What it prints goes to `log`. DVC keeps the descriptor `held` open, a lock's, in case that this
    process is killed and DVC goes on. Who stops reading ends DVC and its stages.

    Raises:
        InputError: with what a failed stage said.
    """
    with (
        log.open("w", encoding="utf-8") as written,
        warm_python(environment()) as given,
        subprocess.Popen(
            [sys.executable, "-m", "dvc", "repro", *targets],
            cwd=folder,
            env=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            pass_fds=[held],
            start_new_session=True,  # so that its stages end with it
        ) as process,
    ):
        try:
            assert process.stdout is not None  # it is a pipe
            yield from steps_of(process.stdout, lambda line: _write(line, written))
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
    if process.returncode:
        raise InputError(_complaint(log))


def stages_of(folder: Path, targets: Sequence[str]) -> set[str]:
    """Return the names of the stages of a tree, with their items, that `collect_stages` finds."""
    if not targets:
        return stage_names(folder, read_yaml(folder / PARAMS))
    return {stage.name for stage in collect_stages(folder, targets)}


def collect_stages(folder: Path, targets: Sequence[str]) -> list[Any]:
    """Return DVC's stages of a tree, with their items, that are targets or needed by one.

    Without a target these are all, as for `dvc repro`.
    """
    from dvc.repo import Repo

    repo = Repo(str(folder))
    if not targets:
        return list(repo.index.stages)
    named = (target if ":" in target else f"{GRAPH}:{target}" for target in targets)
    found = (repo.stage.collect(str(folder.absolute() / each), with_deps=True) for each in named)
    return [stage for stages in found for stage in stages]


def environment() -> dict[str, str]:
    """Return the user's environment with this interpreter first, and `make`'s kernels and heap."""
    environment = {**HEAP, **os.environ}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment.get('PATH', '')}"
    if platform.machine() in ("x86_64", "AMD64"):
        environment = {**KERNELS, **environment}
    if not environment.get("HF_HUB_OFFLINE"):
        environment.pop("HF_HUB_OFFLINE", None)  # see files/asking.py
    return environment


def steps_of(lines: Iterable[str], show: Callable[[str], None]) -> Iterator[Step]:
    """Show the lines of `dvc repro`, and yield a step for each stage as it comes to it."""
    for line in lines:
        show(line)
        for pattern, runs in ((RUNNING, True), (KNOWN, False)):
            if found := pattern.match(line):
                yield Step(found[1], runs)


def _write(line: str, log: Any) -> None:
    log.write(line)
    log.flush()


def _complaint(log: Path) -> str:
    """Return what the stage that failed said, or the end of what was printed."""
    lines = log.read_text(encoding="utf-8").splitlines()
    marks = [number for number, line in enumerate(lines) if line.startswith("error: ")]
    if not marks:
        return "\n".join(["the pipeline failed:", *lines[-TAIL:], f"all that it said: {log}"])
    said = lines[marks[-1] :]
    end = next((n for n, line in enumerate(said) if line.startswith("ERROR: ")), len(said))
    return "\n".join(said[:end]).removeprefix("error: ").strip()
