"""Cost of the questions on vectors of a user, and of sentence-transformers' miner of pairs.

`python -m benchmarks.practice` draws matrices of random numbers, asks each question in a process of
its own, and writes benchmarks/practice.md. With `--sizes 100000` it measures what else is left to
an extrapolation: pairs grow with the square of the vectors, memory with the vectors.
"""

import argparse
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from embspace.draw.page.markdown import markdown_table
from embspace.files.atomic import writing
from embspace.verify.provenance import processor

SIZES, DIM = (5000, 10_000, 20_000), 384
N_LISTED = 1000
MB = 10**6
PAGE = Path("benchmarks/practice.md")


def vectors(n: int) -> np.ndarray:
    """Return Gaussian vectors about a mean that is not zero, float32."""
    return np.random.default_rng(0).standard_normal((n, DIM), dtype=np.float32) + np.float32(0.3)


def threshold(x: np.ndarray) -> None:
    """Count all pairs by their cosine, and name the highest."""
    from embspace.geometry.practice.high_pairs import high_pairs

    rng = np.random.default_rng(0)
    high_pairs(x, np.arange(len(x)), largest_rate=1e-3, n_listed=N_LISTED, rng=rng)


def hubs(x: np.ndarray) -> None:
    """Count the 10 nearest of each vector by cosine."""
    from embspace.geometry.practice.hub_reduction import nearest_by

    nearest_by(x, k=10, reduction="cosine")


def csls(x: np.ndarray) -> None:
    """Count the 10 nearest of each vector by CSLS."""
    from embspace.geometry.practice.hub_reduction import nearest_by

    nearest_by(x, k=10, reduction="csls")


def paraphrase_mining(x: np.ndarray) -> None:
    """List the pairs of the highest cosine by sentence-transformers."""
    import torch
    from sentence_transformers.util import paraphrase_mining_embeddings

    torch.set_num_threads(1)
    paraphrase_mining_embeddings(torch.tensor(x), max_pairs=N_LISTED)


CONTESTANTS = {each.__name__: each for each in (threshold, paraphrase_mining, hubs, csls)}


def run_one(name: str, n: int) -> tuple[float, float, float]:
    """Return wall time, processor time, and what the peak of memory grew by, in MB."""
    x = vectors(n)
    CONTESTANTS[name](vectors(100))  # imports
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
    used = time.process_time()
    CONTESTANTS[name](x)
    seconds, processor_seconds = time.perf_counter() - start, time.process_time() - used
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return seconds, processor_seconds, grown * 1024 / MB


def cost_of(name: str, n: int) -> dict[str, object]:
    """Return the cost of a question, in a process of its own."""
    call = [sys.executable, "-m", "benchmarks.practice", "--one", name, "--sizes", str(n)]
    said = subprocess.run(call, check=True, capture_output=True, text=True).stdout
    seconds, processor_seconds, grown = map(float, said.split())
    return {
        "question": name,
        "vectors": n,
        "seconds": seconds,
        "processor seconds": processor_seconds,
        "ns a pair": processor_seconds / (n * (n - 1) / 2) * 1e9,
        "MB beyond the vectors": grown,
    }


def page(rows: list[dict[str, object]]) -> str:
    """Return the table with its protocol."""
    return (
        f"# Questions on {DIM}-dimensional vectors\n\n"
        f"By `python -m benchmarks.practice` on {processor()}, Python "
        f"{platform.python_version()}, one thread; a process each. All pairs are compared.\n\n"
        f"{markdown_table(pd.DataFrame(rows), 3)}\n"
    )


def run_practice(sizes: Sequence[int] = SIZES) -> None:
    """Ask everything of every size, and write and print the page."""
    text = page([cost_of(name, n) for n in sizes for name in CONTESTANTS])
    print(text)
    with writing(PAGE) as partial:
        partial.write_text(text, encoding="utf-8")


def main() -> None:
    """Ask all of the sizes that are named, or one question of one size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", choices=[*CONTESTANTS])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    given = parser.parse_args()
    if given.one:
        print(*run_one(given.one, given.sizes[0]))
        return
    run_practice(given.sizes)


if __name__ == "__main__":
    main()
