"""Times of `dvc repro` in a fresh clone: cold, with an empty cache, and with nothing to do.

`python -m benchmarks.repro`, also a part of `make bench`, runs one chapter with all that it needs,
and writes benchmarks/repro.md. `python -m benchmarks.repro all` runs all chapters, a quarter of an
hour and more. What is not committed is not cloned.
"""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from embspace.app.repro import RUNNING, environment
from embspace.errors import InputError
from embspace.files.atomic import writing
from embspace.verify.provenance import processor

CHAPTER, ALL = "positional", "all"
NO_OPS = 3
PAGE = Path("benchmarks/repro.md")


class Run(NamedTuple):
    """The cost of one call."""

    seconds: float
    """Of wall time."""
    processor_seconds: float
    """Of all processes."""
    n_stages: int
    """The number of stages that ran."""


def repro(folder: Path, arguments: Sequence[str]) -> Run:
    """Return the cost of `dvc repro` in a folder.

    Raises:
        InputError: if it fails, with the end of what it said.
    """
    wall, processor = time.perf_counter(), _processor_seconds()
    done = subprocess.run(
        ["dvc", "repro", *arguments],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    wall, processor = time.perf_counter() - wall, _processor_seconds() - processor
    if done.returncode:
        raise InputError(f"dvc repro {' '.join(arguments)} failed:\n{done.stdout[-2000:]}")
    return Run(wall, processor, sum(1 for line in done.stdout.splitlines() if RUNNING.match(line)))


def _processor_seconds() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def cold_and_no_op(chapter: str) -> dict[str, Run]:
    """Return the cost of all stages of a chapter in a fresh clone, and of the least call after it.

    Results that came by git match their stages: without force, DVC would skip these.
    """
    target = [] if chapter == ALL else [f"pipeline/{chapter}/dvc.yaml"]
    with TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        subprocess.run(["git", "clone", "--quiet", ".", str(clone)], check=True)
        cold = repro(clone, ["--force", "--no-run-cache", *target])
        again = [repro(clone, target) for _ in range(NO_OPS)]
    return {"cold": cold, "nothing to do": min(again)}


def page(found: dict[str, Run], chapter: str, load: float) -> str:
    """Return what was measured, in Markdown."""
    covered = "all chapters" if chapter == ALL else f"the chapter `{chapter}` and all that it needs"
    rows = [
        f"| {name} | {run.n_stages} | {run.seconds:.1f} | {run.processor_seconds:.1f} |"
        for name, run in found.items()
    ]
    return "\n".join(
        [
            "# `dvc repro`\n",
            f"Written by `python -m benchmarks.repro`: {covered}, for the models of params.yaml, "
            "in a fresh clone with an empty cache, where the environment was there; then the "
            f"least of {NO_OPS} calls that find nothing to do. {processor()}, {os.cpu_count()} "
            f"cores; the load was {load:.1f} at the start: on a busy machine, processor time of "
            "all processes says more than wall time.\n",
            "| what | stages that ran | wall time, s | processor time, s |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )


def run_repro(chapter: str = CHAPTER) -> None:
    """Measure, and write and print the page.

    Raises:
        InputError: if a stage fails.
    """
    load = os.getloadavg()[0]
    text = page(cold_and_no_op(chapter), chapter, load)
    print(text)
    with writing(PAGE) as partial:
        partial.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    try:
        run_repro(*sys.argv[1:2])
    except InputError as error:
        sys.exit(f"error: {error}")
