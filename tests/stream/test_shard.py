"""Tests of `embspace.stream.shard`."""

from pathlib import Path

import numpy as np

from embspace.stream.reading import Loaded
from embspace.stream.shard import embed_shard, is_sampled, pilot_of
from embspace.stream.sums import merge_sums
from tests.stream.trees import reading_of, shard_of


def test_two_shards_are_the_sums_of_one(tiny_tree: Path, tiny_loaded: Loaded) -> None:
    path, reading = tiny_tree / "texts/a.jsonl", reading_of(tiny_tree)
    whole = shard_of(path, 0, 60)
    pilot = pilot_of(whole, reading, tiny_loaded)
    assert pilot is not None
    parts = [
        embed_shard(each, reading, tiny_loaded, pilot)
        for each in (shard_of(path, 0, 23), shard_of(path, 23, 37), whole)
    ]
    for kind in parts[0].sums[2]:
        merged = merge_sums(parts[0].sums[2][kind], parts[1].sums[2][kind]).moments
        expected = parts[2].sums[2][kind].moments
        assert merged.n == expected.n
        # The model reads texts in other batches, and so rounds in another way.
        difference = np.abs(merged.comoments - expected.comoments).max()
        assert difference < 1e-7 * expected.n * np.square(expected.mean).sum()
    assert parts[2].counts["texts"] == parts[2].counts["documents"] == 60
    assert parts[0].sample_ids + parts[1].sample_ids == parts[2].sample_ids


def test_the_sample_is_the_share_asked_and_goes_by_ids_alone() -> None:
    ids = [f"t{number}" for number in range(10_000)]
    chosen = [name for name in ids if is_sampled(name, 0.1)]
    assert 900 < len(chosen) < 1100
    assert all(is_sampled(name, 0.2) for name in chosen)
    assert is_sampled("t", 1) and not is_sampled("t", 0)
