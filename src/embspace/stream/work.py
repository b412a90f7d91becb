"""Work of a worker of a cluster: pilot, shards, tables; a process loads the model once."""

import os
from collections.abc import Callable, Sequence
from contextlib import chdir
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from embspace.errors import InputError
from embspace.files.tables import Row
from embspace.stream.neighbors import sample_rows
from embspace.stream.plan import Reading, Shard
from embspace.stream.reading import Loaded, load_reading
from embspace.stream.shard import digest_of, embed_shard, pilot_of
from embspace.stream.sources import check_unchanged
from embspace.stream.store import (
    StoredShard,
    is_finished,
    load_pilot,
    save_pilot,
    save_shard,
    shard_path,
)
from embspace.stream.tables import Intervals, layer_rows

_LOADED: dict[str, Loaded] = {}
# A worker of several threads has one model, one current folder, and memory for one chunk.
_ONE_AT_A_TIME = Lock()


def loaded(reading: Reading) -> Loaded:
    """Return the model of a reading, loaded at the first call in a process."""
    from embspace.app.queries.loading import without_report_of_weights

    key = repr(reading)
    if key not in _LOADED:
        _LOADED.clear()  # one model at a time
        with without_report_of_weights():
            _LOADED[key] = load_reading(reading)
    return _LOADED[key]


def make_pilot(root: str, shards: Sequence[Shard], reading: Reading, folder: str) -> str:
    """Write the pilot's means, from the first shard with a readable text."""
    path = Path(folder) / f"pilot-{shards[0].key}.safetensors"
    if is_finished(path):
        return str(path)
    with _ONE_AT_A_TIME, chdir(root):
        model = loaded(reading)
        for shard in shards:
            if (pilot := pilot_of(shard, reading, model)) is not None:
                save_pilot(pilot, path)
                return str(path)
    return ""


def finish_shard(
    root: str, shard: Shard, reading: Reading, pilot_path: str, folder: str
) -> dict[str, Any]:
    """Write the sums of a shard, unless they are there; return counts, seconds and memory.

    Raises:
        InputError: if the file of the shard's texts has changed since the shards were cut.
    """
    import psutil

    path = shard_path(Path(folder), shard.key)
    if is_finished(path):
        return {"key": shard.key, "texts": shard.n, "resumed": True}
    with _ONE_AT_A_TIME, chdir(root):
        result = embed_shard(shard, reading, loaded(reading), _pilot(pilot_path))
    check_unchanged([shard.source])  # else other texts would have the name of these
    save_shard(result, path)
    return {
        "key": shard.key,
        "texts": shard.n,
        "resumed": False,
        "tokens": result.counts["tokens"],
        **{f"seconds_{name}": value for name, value in result.seconds.items()},
        "pid": os.getpid(),
        "peak_mib": peak_memory(),
        "rss_mib": psutil.Process().memory_info().rss / 2**20,
    }


def is_of_other_texts(root: str, shard: Shard, folder: str) -> bool:
    """Return whether the texts of a finished shard, read again, have changed."""
    path = shard_path(Path(folder), shard.key)
    with chdir(root):
        return is_finished(path) and StoredShard(path).facts.get("digest") != digest_of(shard)


def call_in(root: str, function: Callable[..., None], *arguments: object) -> None:
    """Call a function of one shard at the root of the tree.

    Raises:
        InputError: if a file of texts cannot be read.
    """
    try:
        with _ONE_AT_A_TIME, chdir(root):
            function(*arguments)
    except OSError as error:
        raise InputError(str(error)) from error


def peak_memory() -> float:
    """Return the largest memory that this process has had so far, in MiB; NaN on Windows."""
    try:
        import resource
    except ImportError:
        return float("nan")
    import sys

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


@lru_cache(maxsize=2)
def _pilot(path: str) -> Any:
    return load_pilot(Path(path))


def finish_layer(
    corpus: str, paths: Sequence[str], layer: int, spaces: Sequence[str], intervals: Intervals
) -> dict[str, list[Row]]:
    """Return the rows of a layer's tables, by merging the sums of the shards in a tree."""
    files = [Path(path) for path in paths]
    rows = layer_rows(corpus, files, layer, spaces, intervals)
    return rows | sample_rows(corpus, files, layer, intervals)
