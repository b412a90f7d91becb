"""Time and memory of all pairs and the neighbor graph by the number of vectors, and exponents.

`python -m benchmarks.growth` writes matrices of random numbers into a temporary folder, runs
`embspace.stream.pairs` on each in a process of its own, and prints the table and the exponents.
"""

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

SIZES, DIMS = (5000, 10_000, 20_000, 40_000), (384, 768)
K, BINS, MEMORY = 90, 16384, 2.0
PIECE = 1000  # rows that are drawn at once
MB = 10**6


class Run(NamedTuple):
    """The cost of one matrix."""

    n: int
    dim: int
    seconds: float
    """Of wall time."""
    processor_seconds: float
    peak: float
    """Largest resident memory of the process, in MB of 10^6 bytes."""


def write_matrix(path: Path, n: int, dim: int) -> None:
    """Write Gaussian rows about a mean that is not zero, float32, piece by piece."""
    rng = np.random.default_rng(0)
    x = np.lib.format.open_memmap(path, "w+", np.float32, (n, dim))
    for begin in range(0, n, PIECE):
        x[begin : begin + PIECE] = rng.standard_normal((min(PIECE, n - begin), dim)) + 0.3


def cost_of(n: int, dim: int) -> Run:
    """Return the cost of one matrix, in a process of its own."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "x.npy"
        write_matrix(path, n, dim)
        call = [sys.executable, "-m", "benchmarks.growth", "--one", str(path)]
        said = subprocess.run(call, check=True, capture_output=True, text=True).stdout
    seconds, processor_seconds, peak = map(float, said.split())
    return Run(n, dim, seconds, processor_seconds, peak)


def run_one(path: Path) -> tuple[float, float, float]:
    """Return wall time, processor time and peak memory of this process, compiled loops loaded."""
    from embspace.geometry.pairs.pairs import scan_pairs
    from embspace.stream.pairs import Wanted, save_pairs

    x = np.random.default_rng(1).standard_normal((2500, 64)).astype(np.float32)
    scan_pairs(x, n_bins=BINS, n_neighbors=K)
    wall, processor = time.perf_counter(), time.process_time()
    save_pairs(path, path.parent / "out", Wanted(BINS, K, (0.5,), MEMORY), lambda _: None)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    # Linux counts in units of 1,024 bytes.
    return wall, processor, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MB


def exponent_of(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Return the slope of log cost over log size, by least squares."""
    return float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])


def table_of(runs: Sequence[Run]) -> str:
    """Return the runs as a Markdown table, and below it the exponents by dimension."""
    lines = [
        "| vectors | dims | wall, s | processor, s | peak memory, MB |",
        "|---|---|---|---|---|",
    ]
    for run in runs:
        cells = f"{run.n:,} | {run.dim} | {run.seconds:.1f} | {run.processor_seconds:.1f}"
        lines.append(f"| {cells} | {run.peak:.0f} |")
    for dim in sorted({run.dim for run in runs}):
        some = [run for run in runs if run.dim == dim]
        if len(some) > 1:
            exponent = exponent_of([run.n for run in some], [run.processor_seconds for run in some])
            lines.append(f"\nProcessor time of {dim} dims grows as n^{exponent:.2f}; expected: 2.")
    return "\n".join(lines)


def main() -> None:
    """Run all sizes, or one matrix that is there."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--one", type=Path, help="a matrix, to be run in this process")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--dims", type=int, nargs="+", default=DIMS)
    arguments = parser.parse_args()
    if arguments.one:
        print(*run_one(arguments.one))
        return
    print(table_of([cost_of(n, dim) for dim in arguments.dims for n in arguments.sizes]))


if __name__ == "__main__":
    main()
