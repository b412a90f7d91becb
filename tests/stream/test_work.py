"""Tests of `embspace.stream.work`."""

from pathlib import Path

from embspace.stream.work import finish_layer, finish_shard, loaded, make_pilot, peak_memory
from tests.stream.trees import INTERVALS, reading_of, shard_of


def test_a_finished_shard_is_not_computed_again(tiny_tree: Path, tmp_path: Path) -> None:
    reading, shard = reading_of(tiny_tree), shard_of(tiny_tree / "texts/a.jsonl", 0, 30)
    pilot = make_pilot(str(tiny_tree), [shard], reading, str(tmp_path))
    assert make_pilot(str(tiny_tree), [shard], reading, str(tmp_path)) == pilot
    found = [finish_shard(str(tiny_tree), shard, reading, pilot, str(tmp_path)) for _ in range(2)]
    assert [each["resumed"] for each in found] == [False, True]
    path = str(tmp_path / f"{shard.key}.safetensors")
    tables = finish_layer("texts", [path], 0, reading.spaces, INTERVALS)
    assert {"direction", "spectrum", "intrinsic_dimension"} <= set(tables)


def test_the_model_is_loaded_once(tiny_tree: Path) -> None:
    reading = reading_of(tiny_tree)
    assert loaded(reading) is loaded(reading)


def test_memory_is_that_of_this_process() -> None:
    assert peak_memory() > 10
