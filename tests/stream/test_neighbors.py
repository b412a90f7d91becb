"""Tests of `embspace.stream.neighbors`."""

from pathlib import Path

from embspace.stream.neighbors import sample_rows
from embspace.stream.reading import Loaded
from embspace.stream.shard import embed_shard, pilot_of
from embspace.stream.store import save_shard
from tests.stream.trees import INTERVALS, reading_of, shard_of


def rows(tree: Path, loaded: Loaded, path: Path, rate: float) -> dict[str, list[dict[str, object]]]:
    reading, shard = reading_of(tree, sample_rate=rate), shard_of(tree / "texts/a.jsonl", 0, 60)
    pilot = pilot_of(shard, reading, loaded)
    assert pilot is not None
    save_shard(embed_shard(shard, reading, loaded, pilot), path)
    return sample_rows("texts", [path], 2, INTERVALS)


def test_dimension_is_that_of_the_sample(
    tiny_tree: Path, tiny_loaded: Loaded, tmp_path: Path
) -> None:
    tables = rows(tiny_tree, tiny_loaded, tmp_path / "a.safetensors", 1.0)
    two_nn = [row for row in tables["intrinsic_dimension"] if row["space"] == "mean"]
    assert two_nn and all(row["n_texts"] == 60 for row in two_nn)
    assert tables["hubs"]


def test_no_sample_has_no_rows(tiny_tree: Path, tiny_loaded: Loaded, tmp_path: Path) -> None:
    tables = rows(tiny_tree, tiny_loaded, tmp_path / "a.safetensors", 0.0)
    assert tables == {"intrinsic_dimension": [], "hubs": []}
