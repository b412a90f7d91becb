"""Cost of the questions of practice, beside the libraries that answer some of them.

`python -m benchmarks.practice` runs the commands of docs/questions.md on 2,000 docstrings of
installed packages and writes their outputs into that page. It draws matrices of random numbers,
takes each question of them in a process of its own, and writes benchmarks/practice.md. Where both
sides compute the same, their numbers are compared first. kiez is left out where it is not
installed. `--parts` names parts; others keep their rows.
"""

import argparse
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks import questions
from benchmarks.docstrings import CORPORA, save_corpora, save_rounded
from benchmarks.questions import commands_of, output_file
from embspace.draw.page.markdown import markdown_table
from embspace.files.atomic import writing
from embspace.verify.provenance import processor

SIZE, DIM = 10_000, 384
N_LISTED, K = 1000, 10
MB = 10**6
PAGE = Path("benchmarks/practice.md")


def vectors(n: int) -> np.ndarray:
    """Return Gaussian vectors about a mean that is not zero, float32."""
    return np.random.default_rng(0).standard_normal((n, DIM), dtype=np.float32) + np.float32(0.3)


def threshold(x: np.ndarray) -> np.ndarray:
    """Count all pairs by their cosine, and name the highest."""
    from embspace.geometry.practice.high_pairs import high_pairs

    rng = np.random.default_rng(0)
    counted = high_pairs(x, np.arange(len(x)), largest_rate=1e-3, n_listed=N_LISTED, rng=rng)
    return counted.cosine


def paraphrase_mining(x: np.ndarray) -> np.ndarray:
    """List the pairs of the highest cosine by sentence-transformers."""
    from sentence_transformers.util import paraphrase_mining_embeddings

    mined = paraphrase_mining_embeddings(_tensor(x), max_pairs=N_LISTED)
    return np.array([score for score, _, _ in mined[:N_LISTED]])


def hubs(x: np.ndarray) -> np.ndarray:
    """Return the 10 nearest of each vector by cosine."""
    from embspace.geometry.practice.hub_reduction import nearest_by

    return np.sort(nearest_by(x, k=K, reduction="cosine"), axis=1)


def semantic_search(x: np.ndarray) -> np.ndarray:
    """Return the 10 nearest of each vector by sentence-transformers."""
    from sentence_transformers.util import semantic_search as search

    listed = search(_tensor(x), _tensor(x), top_k=K + 1)  # the first is the vector itself
    return np.sort([[hit["corpus_id"] for hit in hits[1:]] for hits in listed], axis=1)


def int8(x: np.ndarray) -> np.ndarray:
    """Return codes in 255 steps."""
    from embspace.geometry.practice.compression import Int8Ranges

    return Int8Ranges.of(x).codes(x)


def quantize_embeddings(x: np.ndarray) -> np.ndarray:
    """Return codes by sentence-transformers."""
    from sentence_transformers.quantization import quantize_embeddings as quantize

    return np.asarray(quantize(x, precision="int8", calibration_embeddings=x))


def csls(x: np.ndarray) -> np.ndarray:
    """Return CSLS of each vector of the first half with its 10 nearest of the second half."""
    from embspace.geometry.pairs.directions import unit_rows
    from embspace.geometry.practice.hub_reduction import reduced_similarity, scales_among

    first, second = np.array_split(x, 2)
    left, right = scales_among(first, second, k=K), scales_among(second, first, k=K)
    cosine = unit_rows(first) @ unit_rows(second).T
    near = np.argpartition(-cosine, K - 1, axis=1)[:, :K]
    reduced = reduced_similarity(cosine, left, right, "csls")
    return np.sort(np.take_along_axis(reduced, near, axis=1), axis=1)


def kiez_csls(x: np.ndarray) -> np.ndarray:
    """Return the same by kiez."""
    from kiez import Kiez
    from kiez.hubness_reduction import CSLS
    from kiez.neighbors import SklearnNN
    from sklearn.base import BaseEstimator

    def tagged(kind: type) -> type:  # scikit-learn 1.9 takes no other
        return type(kind.__name__, (kind, BaseEstimator), {})

    neighbors = tagged(SklearnNN)(n_candidates=K, metric="cosine", n_jobs=1)
    made = Kiez(hubness=tagged(CSLS)(nn_algo=neighbors), algorithm=neighbors)
    distances, _ = made.fit(*np.array_split(x, 2)).kneighbors(K)
    return np.sort(-np.asarray(distances), axis=1)


def _tensor(x: np.ndarray) -> "torch.Tensor":  # type: ignore[name-defined]  # noqa: F821
    import torch

    torch.set_num_threads(1)
    return torch.tensor(x)


MINERS = "sentence_transformers"


class Contest(NamedTuple):
    """A question, and two functions that answer it with the same numbers."""

    what: str
    ours: Callable[[np.ndarray], np.ndarray]
    peer: Callable[[np.ndarray], np.ndarray]
    library: str


CONTESTS = (
    Contest("1,000 pairs of the highest cosine", threshold, paraphrase_mining, MINERS),
    Contest("10 nearest by cosine", hubs, semantic_search, MINERS),
    Contest("int8 codes", int8, quantize_embeddings, MINERS),
    Contest("CSLS between two halves", csls, kiez_csls, "kiez"),
)
CONTESTANTS = {call.__name__: call for contest in CONTESTS for call in contest[1:3]}


def agreement(contest: Contest, n: int = 2000) -> str:
    """Return how far the answers of both sides are apart."""
    x = vectors(n)
    ours, theirs = contest.ours(x), contest.peer(x)
    if ours.dtype.kind == "f":
        return f"largest difference {np.abs(ours - theirs).max():.1e}"
    return f"{np.mean(ours == theirs):.4%} equal"


def run_one(name: str, n: int) -> tuple[float, float, float]:
    """Return wall time, processor time, and the peak RSS of the process, in MB."""
    x = vectors(n)
    CONTESTANTS[name](vectors(100))  # imports
    start, used = time.perf_counter(), time.process_time()
    CONTESTANTS[name](x)
    seconds, processor_seconds = time.perf_counter() - start, time.process_time() - used
    return seconds, processor_seconds, peak_mb()


def _in_a_process_of_its_own(*options: str) -> str:
    """Return the output of this module; a child's peak RSS is never below that of its parent."""
    call = [sys.executable, "-m", "benchmarks.practice", *options]
    return subprocess.run(call, check=True, capture_output=True, text=True).stdout.strip()


def peak_mb() -> float:
    """Return the peak RSS of this process, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MB


def cost_of(name: str, n: int) -> dict[str, object]:
    """Return the cost of a question, in a process of its own."""
    said = _in_a_process_of_its_own("--one", name, "--size", str(n))
    seconds, processor_seconds, peak = map(float, said.split())
    return {
        "question": name,
        "vectors": n,
        "seconds": seconds,
        "processor seconds": processor_seconds,
        "ns a pair": processor_seconds / (n * (n - 1) / 2) * 1e9,
        "peak RSS, MB": peak,
    }


def contests() -> Iterator[dict[str, object]]:
    """Yield a row a question, with the cost of ours, as a share of the cost of a peer's."""
    for contest in CONTESTS:
        if find_spec(contest.library) is None:
            continue
        same = _in_a_process_of_its_own("--agree", contest.ours.__name__)
        ours, theirs = (cost_of(call.__name__, SIZE) for call in (contest.ours, contest.peer))
        row: dict[str, object] = {"what": contest.what, "beside": contest.peer.__name__}
        for name in ("processor seconds", "peak RSS, MB"):
            value = float(str(ours[name]))
            row |= {name: value, f"{name}: share of theirs": value / float(str(theirs[name]))}
        yield row | {"agreement at 2,000": same}


# Costs of these stand beside those of the page's.
FURTHER = (("outliers", "docs.jsonl"), ("transform", "docs.jsonl"))
CALL = "from embspace.app.cli import app; app()"


def commands(folder: Path | None = None) -> Iterator[dict[str, object]]:
    """Yield a row a command on docstrings, and fill the page that shows their outputs.

    States of the texts are read once before.
    """
    with TemporaryDirectory() as other:
        place = folder or Path(other)
        save_corpora(place)
        for name in CORPORA:  # reads the texts, whose states are kept
            run_command(("hubs", f"{name}.jsonl"), place)
        _in_a_process_of_its_own("--round", str(place))
        for call in (*commands_of(questions.PAGE.read_text(encoding="utf-8")), *FURTHER):
            yield {"command": f"embspace {' '.join(call)}", **run_command(call, place)}
        questions.fill(place)


def run_command(call: Sequence[str], folder: Path) -> dict[str, float]:
    """Return what a command costs, start included."""
    start = time.perf_counter()
    command = [sys.executable, "-c", CALL, *call]
    with output_file(call, folder).open("w", encoding="utf-8") as said:
        process = subprocess.Popen(command, cwd=folder, stdout=said)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"error: embspace {' '.join(call)} ended with {process.returncode}")
    return {
        "seconds": time.perf_counter() - start,
        "processor seconds": used.ru_utime + used.ru_stime,
        "peak RSS, MB": used.ru_maxrss * 1024 / MB,
        "load": os.getloadavg()[0],
    }


LARGE, FILED = 100_000, 60_000


def whole() -> Iterator[dict[str, object]]:
    """Yield the cost of all pairs of 10^5 vectors."""
    yield cost_of("threshold", LARGE)


def limited(n: int = FILED) -> Iterator[dict[str, object]]:
    """Yield the cost of pairs of a mapped file under a limit of memory below its size."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "x.npy"
        np.save(file, vectors(n))
        said = _in_a_process_of_its_own("--limited", str(file))
        seconds, processor_seconds, limit = map(float, said.split())
    yield {
        "vectors": n,
        "file, MB": 4 * n * DIM / MB,
        "memory allowed beyond start, MB": limit,
        "seconds": seconds,
        "processor seconds": processor_seconds,
        "ns a pair": processor_seconds / (n * (n - 1) / 2) * 1e9,
    }


def run_limited(file: Path) -> tuple[float, float, float]:
    """Count the pairs of a file with memory for nine tenths of it; return seconds and the limit."""
    from embspace.app.practice.vector_files import mapped_vectors

    threshold(vectors(100))  # imports
    used = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    limit = file.stat().st_size * 9 // 10
    resource.setrlimit(resource.RLIMIT_DATA, (used + limit, used + limit))
    x = mapped_vectors(file)
    if x is None:
        raise SystemExit(f"error: {file}: is no map")
    start, cpu = time.perf_counter(), time.process_time()
    threshold(x)
    return time.perf_counter() - start, time.process_time() - cpu, limit / MB


MILLION = 1_000_000


def one_row() -> Iterator[dict[str, object]]:
    """Yield the cost of one row of blocks of 10^6 vectors, and all rows by arithmetic."""
    from embspace.geometry.practice.high_pairs import _count, _lowest
    from embspace.geometry.practice.unit_blocks import UnitRows

    class FirstRow(UnitRows):
        def pairs_of_blocks(self) -> Iterator[tuple[slice, slice]]:
            for first, second in super().pairs_of_blocks():
                if first.start:
                    return
                self.n_rows = first.stop
                yield first, second

    document = np.arange(MILLION)
    unit = FirstRow(vectors(MILLION))
    lowest = _lowest(unit, document, 5e-3, np.random.default_rng(0))
    start = time.process_time()
    _count(unit, document, lowest, N_LISTED)
    seconds, n_rows = time.process_time() - start, unit.n_rows
    pairs = n_rows * MILLION - n_rows * (n_rows + 1) // 2
    total = MILLION * (MILLION - 1) / 2
    yield {
        "vectors": MILLION,
        "rows": n_rows,
        "pairs": pairs,
        "processor seconds": seconds,
        "all pairs": total,
        "hours by arithmetic": seconds * total / pairs / 3600,
        "peak RSS, MB": peak_mb(),
    }


def planted() -> Iterator[dict[str, object]]:
    """Yield a row a trial; its imports count in no contest's memory."""
    from benchmarks.trials import trials

    yield from trials()


PARTS: dict[str, tuple[str, Callable[[], Iterator[dict[str, object]]]]] = {
    "commands": ("Commands on 2,000 docstrings, after states", commands),
    "trials": ("Planted truths and nulls", planted),
    "contests": ("Beside sentence-transformers and kiez", contests),
    "whole": ("All pairs of 10^5 vectors", whole),
    "limited": ("A file larger than the memory that a process may have", limited),
    "one_row": ("One row of blocks of 10^6 vectors", one_row),
}


def page(sections: Mapping[str, str]) -> str:
    """Return the tables with their protocol."""
    from benchmarks.trials import LEAST, MOST

    parts = [
        f"## {title}\n\n{sections[title]}\n" for title, _ in PARTS.values() if title in sections
    ]
    return (
        f"# Questions of practice\n\n"
        f"By `python -m benchmarks.practice` on {processor()}, Python "
        f"{platform.python_version()}, one thread; a process each. Random vectors have {DIM} "
        f"dimensions. Processor seconds count where other work runs on the machine. The agreement "
        f"is that of both answers on 2,000 vectors. kiez has "
        f"two classes derived here, as its own lack the tags of scikit-learn 1.9, with which "
        f"scikit-hubness 0.21.2 does not import. Contests are of {SIZE:,} vectors. A planted truth "
        f"should be found in {LEAST} of 100 draws, a null give something in {MOST} at most, an "
        f"interval at 95 % hold in {LEAST}.\n\n" + "\n".join(parts)
    )


def sections_of(text: str) -> dict[str, str]:
    """Return what stands under each title of a page."""
    parts = (part.partition("\n") for part in text.split("\n## ")[1:])
    return {title: body.strip() for title, _, body in parts}


def run_practice(parts: Sequence[str] = tuple(PARTS)) -> None:
    """Measure some parts; the page is written after each row, so that an end loses none."""
    sections = sections_of(PAGE.read_text(encoding="utf-8")) if PAGE.is_file() else {}
    for name in parts:
        title, measured = PARTS[name]
        rows: list[dict[str, object]] = []
        for row in measured():
            rows.append(row)
            sections[title] = markdown_table(pd.DataFrame(rows), 3).strip()
            with writing(PAGE) as partial:
                partial.write_text(page(sections), encoding="utf-8")
    print(page(sections))


def main() -> None:
    """Measure parts, or one question of one size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", choices=[*CONTESTANTS])
    parser.add_argument("--size", type=int, default=SIZE)
    parser.add_argument("--limited", type=Path)
    parser.add_argument("--agree", choices=[contest.ours.__name__ for contest in CONTESTS])
    parser.add_argument("--round", type=Path)
    parser.add_argument("--folder", type=Path, help="keeps texts and outputs of commands")
    parser.add_argument("--parts", nargs="+", choices=[*PARTS], default=[*PARTS])
    given = parser.parse_args()
    if given.folder:
        given.folder.mkdir(parents=True, exist_ok=True)
        PARTS["commands"] = (PARTS["commands"][0], partial(commands, given.folder))
    if given.one:
        print(*run_one(given.one, given.size))
    elif given.agree:
        (contest,) = (one for one in CONTESTS if one.ours.__name__ == given.agree)
        print(agreement(contest))
    elif given.round:
        save_rounded(given.round)
    elif given.limited:
        print(*run_limited(given.limited))
    else:
        run_practice(given.parts)


if __name__ == "__main__":
    main()
