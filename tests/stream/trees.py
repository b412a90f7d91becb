"""A tree with a tiny random model, generated texts, and workers that tests may kill."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from embspace.stream.cluster import Cluster
from embspace.stream.plan import Reading, Shard
from embspace.stream.reading import Loaded, load_reading
from embspace.stream.sources import find_sources
from embspace.stream.tables import Intervals
from tests.tiny import WORDS, write_tiny_model

INTERVALS = Intervals(n_half_samples=10, level=0.95, tolerance=0.05, seed=0, batch_size=64)


def write_texts(path: Path, n: int, seed: int = 0) -> Path:
    """Write texts of 3 to 24 words as JSON lines, with ids."""
    rng = np.random.default_rng(seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for number in range(n):
            words = rng.choice(WORDS, size=rng.integers(3, 25))
            file.write(json.dumps({"id": f"t{number}", "text": " ".join(words)}) + "\n")
    return path


def streaming_tree(root: Path, folder: Path) -> Path:
    """Make a tree of the project's settings whose one model is `tiny`."""
    for part in ("conf/extract", "conf/measure/layers", "conf/corpus"):
        shutil.copytree(root / part, folder / part)
    shutil.copy(root / "conf/config.yaml", folder / "conf/config.yaml")
    shutil.copytree(root / "data/texts", folder / "data/texts")
    params = yaml.safe_load((root / "params.yaml").read_text(encoding="utf-8"))
    params |= {"models": ["tiny"], "corpora": ["model_card"], "roles": {}, "device": "cpu"}
    (folder / "params.yaml").write_text(yaml.safe_dump(params), encoding="utf-8")
    (folder / "dvc.yaml").write_text("stages: {}\n", encoding="utf-8")
    write_tiny_model(folder / "models/tiny", folder / "conf", "tiny")
    return folder


def reading_of(tree: Path, **changed: object) -> Reading:
    """Return how `tiny` reads; small chunks and batches."""
    content = yaml.safe_load((tree / "conf/model/tiny.yaml").read_text(encoding="utf-8"))
    known = {
        "model_name": "tiny",
        "model": content,
        "weights": "",
        "spaces": ("token", "cls", "mean"),
        "window_length": 40,
        "overlap": 4,
        "tokens_per_batch": 256,
        "tokens_per_chunk": 512,
        "batch_size": 64,
        "number_type": "float32",
        "sample_rate": 0.5,
        "device": "cpu",
    }
    return Reading(**{**known, **changed})  # type: ignore[arg-type]


def loaded_tiny(tree: Path) -> Loaded:
    return load_reading(reading_of(tree))


def shard_of(path: Path, first: int, n: int, number: int = 0) -> Shard:
    """Return rows of a file as a shard."""
    source = find_sources(str(path), "text", "id")[0]
    return Shard(number, source, first, n, f"key{first}-{n}")


def environment(root: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(root / "src"), "OMP_NUM_THREADS": "1"}


def corpus_command(*arguments: object) -> list[str]:
    code = "from embspace.app.cli import app; app()"
    return [sys.executable, "-c", code, "corpus", *map(str, arguments)]


def run_corpus(root: Path, tree: Path, *arguments: object) -> str:
    """Run `embspace corpus` in a tree, and return what it said."""
    done = subprocess.run(
        corpus_command(*arguments),
        cwd=tree,
        env=environment(root),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def run_here(
    cluster: Cluster, calls: dict[str, Any], *, on_result: Callable[[str, Any], None], **others: Any
) -> dict[str, str]:
    """Stand in for `run_all`, without a cluster: its workers take seconds to start."""
    for key, (function, *arguments) in calls.items():
        on_result(key, function(*arguments))
    return {}


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def dask_process(root: Path, tree: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run `dask scheduler` or `dask worker` until the block ends."""
    command = [sys.executable, "-m", "dask", *arguments]
    with (tree / "dask.log").open("a", encoding="utf-8") as log:
        process = subprocess.Popen(
            command, cwd=tree, env=environment(root), stdout=log, stderr=log, text=True
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def scheduler(root: Path, tree: Path, port: int) -> list[str]:
    return ["scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]


def worker(port: int) -> list[str]:
    """A worker without a nanny: who kills it has killed what computes."""
    address = f"tcp://127.0.0.1:{port}"
    return ["worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]


def wait_for_shards(folder: Path, n: int, seconds: float = 120) -> int:
    """Wait until some shards are finished, and return how many are."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        shards = [path for path in folder.glob("*.safetensors") if len(path.stem) == 20]
        if len(shards) >= n:
            return len(shards)
        time.sleep(0.02)
    raise AssertionError(f"{folder}: fewer than {n} shards in {seconds} s")


def numbers_of(folder: Path) -> dict[str, str]:
    """Return the text of each table in a folder of results."""
    return {
        str(path.relative_to(folder)): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*.csv"))
    }


def peak_of(said: str) -> float:
    """Return the most memory of a worker that a run has said, in MiB."""
    peak = re.search(r"most memory of a worker ([\d,]+) MiB", said)
    assert peak, said
    return float(peak[1].replace(",", ""))
