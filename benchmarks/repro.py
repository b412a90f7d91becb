"""Times of the pipeline in a fresh clone: cold, with nothing to do, with one changed setting.

`python -m benchmarks.repro`, also a part of `make bench`, runs all stages and writes
benchmarks/repro.md; `python -m benchmarks.repro helix` those of an analysis or a chapter. What is
not committed is not cloned.
"""

import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from embspace.app.repro.bookkeeping import open_books
from embspace.app.repro.durations import Durations
from embspace.app.repro.environment import KERNELS
from embspace.app.repro.schedule import Schedule, schedule
from embspace.errors import InputError
from embspace.files.atomic import writing
from embspace.verify.provenance import processor

NO_OPS = 3
SETTING = Path("conf/measure/learned/interrelations.yaml")
THRESHOLD = re.compile(r"(?m)^threshold: .*$")
MANY = 8  # jobs of the simulation
PAGE = Path("benchmarks/repro.md")
EMBSPACE = [sys.executable, "-c", "from embspace.app.cli import app; app()", "run"]
DVC = [sys.executable, "-m", "dvc", "repro"]


class Run(NamedTuple):
    """The cost of one call."""

    seconds: float
    """Of wall time."""
    processor_seconds: float
    """Of all processes."""


def timed(folder: Path, command: Sequence[str]) -> Run:
    """Return the cost of a command in a folder.

    Raises:
        InputError: if it fails, with the end of what it said.
    """
    wall, spent = time.perf_counter(), _processor_seconds()
    done = subprocess.run(
        command,
        cwd=folder,
        # `embspace run` gives stages their share of the cores; all of them here would stay.
        env={**os.environ, **KERNELS, "PYTHONPATH": "src"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    wall, spent = time.perf_counter() - wall, _processor_seconds() - spent
    if done.returncode:
        raise InputError(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}")
    return Run(wall, spent)


def _processor_seconds() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def times(clone: Path, names: Sequence[str]) -> dict[str, Run]:
    """Return the costs of calls in a clone, the first of which computes everything.

    Results that came by git match their stages: without force, none would run.
    """
    runs = {"cold, all at first": timed(clone, [*EMBSPACE, "--force", *names])}
    for title, command in (
        ("nothing to do, `embspace run`", [*EMBSPACE, *names]),
        ("nothing to do, `dvc repro`", DVC),
    ):
        runs[title] = min(timed(clone, command) for _ in range(NO_OPS))
    file = clone / SETTING
    before = file.read_text(encoding="utf-8")
    file.write_text(THRESHOLD.sub("threshold: 0.21", before), encoding="utf-8")
    runs["one changed threshold"] = timed(clone, EMBSPACE)
    file.write_text(before, encoding="utf-8")
    runs["the same threshold back"] = timed(clone, EMBSPACE)
    return runs


def with_many_jobs(clone: Path, jobs: int = MANY) -> Schedule:
    """Return what more jobs would take, by the times of the stages that ran in a clone."""
    with open_books(clone, []) as books:
        return schedule(Durations(clone).known(books.needs), books.needs, jobs)


def page(runs: dict[str, Run], simulated: Schedule, covered: str, load: float) -> str:
    """Return what was measured, in Markdown."""
    rows = [
        f"| {name} | {run.seconds:.1f} | {run.processor_seconds:.1f} |"
        for name, run in runs.items()
    ]
    chain = ", ".join(f"`{stage}`" for stage in simulated.last_chain)
    return "\n".join(
        [
            "# The pipeline\n",
            f"Written by `python -m benchmarks.repro`: {covered}, for the models of params.yaml, "
            "in a fresh clone with an empty cache, where the environment was there, by `embspace "
            f"run` with a job a core; calls with nothing to do are the least of {NO_OPS}. "
            f"{processor()}, {os.cpu_count()} cores; the load was {load:.1f} at the start.\n",
            "| what | wall time, s | processor time, s |",
            "|---|---|---|",
            *rows,
            "",
            f"With {MANY} jobs on as many cores it would take {simulated.seconds:.0f} s, by the "
            f"times of the stages above and the graph. What ends last: {chain}.",
            "",
        ]
    )


def run_repro(*names: str) -> None:
    """Measure, and write and print the page.

    Raises:
        InputError: if a stage fails.
    """
    load = os.getloadavg()[0]
    with TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        subprocess.run(["git", "clone", "--quiet", ".", str(clone)], check=True)
        runs = times(clone, names)
        simulated = with_many_jobs(clone)
    text = page(runs, simulated, ", ".join(names) or "all stages", load)
    print(text)
    with writing(PAGE) as partial:
        partial.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    try:
        run_repro(*sys.argv[1:])
    except InputError as error:
        sys.exit(f"error: {error}")
