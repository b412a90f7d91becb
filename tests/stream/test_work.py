"""Tests of `embspace.stream.work`."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from embspace.stream import work
from embspace.stream.work import finish_layer, finish_shard, loaded, make_pilot, peak_memory
from tests.stream.trees import INTERVALS, reading_of, shard_of


def test_a_finished_shard_is_not_computed_again(tiny_tree: Path, tmp_path: Path) -> None:
    reading, shard = reading_of(tiny_tree), shard_of(tiny_tree / "texts/a.jsonl", 0, 30)
    pilot = make_pilot(str(tiny_tree), [shard], reading, str(tmp_path))
    assert make_pilot(str(tiny_tree), [shard], reading, str(tmp_path)) == pilot
    facts = [finish_shard(str(tiny_tree), shard, reading, pilot, str(tmp_path)) for _ in range(2)]
    assert [shard_facts["resumed"] for shard_facts in facts] == [False, True]
    path = str(tmp_path / f"{shard.key}.safetensors")
    tables = finish_layer("texts", [path], 0, reading.spaces, INTERVALS)
    assert {"direction", "spectrum", "intrinsic_dimension"} <= set(tables)


def test_the_model_is_loaded_once(tiny_tree: Path) -> None:
    reading = reading_of(tiny_tree)
    assert loaded(reading) is loaded(reading)


def test_threads_of_a_worker_take_turns(
    tiny_tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, path = reading_of(tiny_tree), tiny_tree / "texts/a.jsonl"
    shards = [shard_of(path, first, 20) for first in (0, 20, 40)]
    pilot = make_pilot(str(tiny_tree), shards, reading, str(tmp_path))
    computed, seen, before = work.embed_shard, list[tuple[int, Path]](), Path.cwd()
    running: list[int] = []

    def watched(*given: Any) -> Any:
        running.append(1)
        time.sleep(0.1)
        seen.append((len(running), Path.cwd()))
        running.pop()
        return computed(*given)

    monkeypatch.setattr(work, "embed_shard", watched)
    with ThreadPoolExecutor(3) as pool:
        arguments = [(str(tiny_tree), shard, reading, pilot, str(tmp_path)) for shard in shards]
        facts = list(pool.map(lambda given: finish_shard(*given), arguments))
    assert [shard_facts["texts"] for shard_facts in facts] == [20, 20, 20]
    assert seen == [(1, tiny_tree.resolve())] * 3 and Path.cwd() == before


def test_memory_is_that_of_this_process() -> None:
    assert peak_memory() > 10
