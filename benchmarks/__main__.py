"""`make bench`: run every contestant in turn, several times, and write benchmarks/table.md.

Then `benchmarks.streamed` writes benchmarks/streamed.md, where dask is installed,
`benchmarks.repro` benchmarks/repro.md, `benchmarks.library` benchmarks/library.md, and
`benchmarks.practice` benchmarks/practice.md.

The rounds go through all contestants, so that a slow minute of the machine hits both sides of a
ratio; of each the fastest round counts.
"""

import json
import os
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tqdm import tqdm

from benchmarks.contest import MATRIX
from benchmarks.contestants import CONTESTANTS, dadapy_two_nn
from benchmarks.library import run_library
from benchmarks.practice import run_practice
from benchmarks.repro import run_repro
from benchmarks.streamed import run_streamed
from benchmarks.table import comparisons_table
from embspace.draw.page.markdown import markdown_table
from embspace.errors import InputError
from embspace.files.atomic import writing
from embspace.verify.provenance import processor

ROUNDS = 5
SLOW = {
    "tsne": 1,
    "sklearn_tsne": 1,
    "umap": 2,
    "plain_umap": 2,
    "pynndescent_graph": 3,
    "skdim_two_nn": 3,
}
LIBRARIES = (
    "numpy",
    "numba",
    "scikit-learn",
    "opentsne",
    "umap-learn",
    "pynndescent",
    "scikit-dimension",
)
DADAPY = dadapy_two_nn.__name__  # needs NumPy < 2, and so an environment of its own
DADAPY_PYTHON = "EMBSPACE_BENCH_DADAPY"  # names the Python of that environment
VERSIONS = """
from importlib.metadata import version
import safetensors
print(", ".join(f"{name} {version(name)}" for name in ("dadapy", "numpy", "scikit-learn")))
"""
TABLE = Path("benchmarks/table.md")


def run(name: str) -> dict[str, float]:
    """One contestant in a process of its own."""
    python = dadapy_python() if name == DADAPY else sys.executable
    if python is None:
        raise InputError(f"{DADAPY_PYTHON}: not set; {name} needs a Python that has DADApy")
    figures: dict[str, float] = json.loads(_last_line([python, "-m", "benchmarks.contest", name]))
    return figures


def dadapy_python() -> str | None:
    """The Python that has DADApy, where one is named."""
    return os.environ.get(DADAPY_PYTHON) or None


def _last_line(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise InputError(f"{command[0]}: cannot be run: {error.strerror}") from None
    if done.returncode:
        raise InputError(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    return done.stdout.splitlines()[-1]


def contestants() -> list[str]:
    """All that can run here."""
    return [name for name in CONTESTANTS if name != DADAPY or dadapy_python()]


def measure(names: list[str]) -> dict[str, dict[str, float]]:
    """The fastest round of each."""
    plan = [name for number in range(ROUNDS) for name in names if number < SLOW.get(name, ROUNDS)]
    best: dict[str, dict[str, float]] = {}
    for name in (progress := tqdm(plan)):
        progress.set_description(name)
        figures = run(name)
        if name not in best or figures["seconds"] < best[name]["seconds"]:
            best[name] = figures
    return best


def machine() -> str:
    """What the numbers depend on."""
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return f"{processor()}, {os.cpu_count()} cores; Python {platform.python_version()}, {libraries}"


def about_dadapy() -> str:
    """What its numbers depend on, or why there are none."""
    python = dadapy_python()
    if python is None:
        return f"DADApy is left out, for `{DADAPY_PYTHON}` names no Python that has it."
    return f"DADApy has an environment of its own: {_last_line([python, '-c', VERSIONS])}."


def report(measured: dict[str, dict[str, float]], foot: str) -> str:
    """The page."""
    table: Any = comparisons_table(measured)
    return "\n".join(
        [
            "# Benchmarks\n",
            "Written by `make bench`. The raw token embeddings of MiniLM, 30,522 x 384. Each "
            "contestant runs in a process of its own after a short run on 500 vectors, so that "
            "compilation does not count; the rounds alternate, and of each the fastest counts. "
            "The first number of a pair is ours. Peak RSS is that of the whole process. Maps: T "
            "trustworthiness, C continuity, R recall of the 15 nearest, all by one evaluator; "
            "the peers are called with a seed, which makes umap-learn use one thread. A target "
            "is met in time, at no worse T, C and R, and under 1 GiB of memory. TwoNN: d the "
            "dimension, by the lower nine tenths of the ratios of the two nearest of all vectors; "
            "a target is met if both give the same to six digits. PCA: v the share of the variance "
            "that the components keep.\n",
            markdown_table(table, 2),
            f"\nMachine: {machine()}. {foot} On what was missed, and what was tried: "
            "[notes.md](notes.md).\n",
        ]
    )


def main() -> None:
    """Run those named on the command line, or all."""
    if not Path(MATRIX).is_file():
        sys.exit(f"error: {MATRIX}: not found; run `make` first, with minilm among the models")
    try:
        foot = about_dadapy()  # first: a Python without DADApy shows before the first contest
        measured = measure(sys.argv[1:] or contestants())
    except InputError as error:
        sys.exit(f"error: {error}")
    text = report(measured, foot)
    print(text)
    if len(sys.argv) == 1:
        with writing(TABLE) as partial:
            partial.write_text(text, encoding="utf-8")
        for further in (run_streamed, run_repro, run_library, run_practice):
            try:
                further()
            except InputError as error:
                print(f"{further.__module__} is left out: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
