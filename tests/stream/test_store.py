"""Tests of `embspace.stream.store`."""

from pathlib import Path

import numpy as np
import pytest
from safetensors import SafetensorError

from embspace.errors import InputError
from embspace.stream.layers import Pilot
from embspace.stream.reading import Loaded
from embspace.stream.shard import embed_shard, pilot_of
from embspace.stream.store import (
    StoredShard,
    is_finished,
    load_pilot,
    save_pilot,
    save_shard,
    shard_path,
)
from tests.stream.trees import reading_of, shard_of


def test_what_is_saved_comes_back(tiny_tree: Path, tiny_loaded: Loaded, tmp_path: Path) -> None:
    reading, shard = reading_of(tiny_tree), shard_of(tiny_tree / "texts/a.jsonl", 0, 20)
    pilot = pilot_of(shard, reading, tiny_loaded)
    assert pilot is not None
    save_pilot(pilot, tmp_path / "pilot")
    result = embed_shard(shard, reading, tiny_loaded, load_pilot(tmp_path / "pilot"))
    path = shard_path(tmp_path, shard.key)
    save_shard(result, path)
    before = path.read_bytes()
    save_shard(embed_shard(shard, reading, tiny_loaded, pilot), path)
    assert path.read_bytes() == before
    stored = StoredShard(path)
    expected = result.sums[1]["mean"].moments
    assert np.array_equal(stored.sums(1, "mean").moments.comoments, expected.comoments)
    assert np.array_equal(stored.shares(2, "token"), result.shares[2]["token"])
    assert stored.sample(0, "mean").shape == (len(stored.facts["sample_ids"]), 32)
    assert stored.facts["counts"]["texts"] == 20


def test_half_a_file_is_not_finished_and_goes(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    assert not is_finished(path)
    path.write_bytes(b"half")
    assert not is_finished(path) and not path.exists()


@pytest.mark.parametrize("place", [-1, -400, 3, "header", "cut"])
def test_a_file_with_another_byte_is_not_finished(
    tiny_tree: Path, tiny_loaded: Loaded, tmp_path: Path, place: int | str
) -> None:
    reading, shard = reading_of(tiny_tree), shard_of(tiny_tree / "texts/a.jsonl", 0, 5)
    pilot = pilot_of(shard, reading, tiny_loaded)
    assert pilot is not None
    path = shard_path(tmp_path, shard.key)
    save_shard(embed_shard(shard, reading, tiny_loaded, pilot), path)
    assert is_finished(path)
    content = bytearray(path.read_bytes())
    if place == "cut":
        content = content[:-1]
    else:
        at = content.index(b"token.") if isinstance(place, str) else place
        content[at] ^= 1
    path.write_bytes(content)
    assert not is_finished(path) and not path.exists()


def test_a_pilot_with_another_byte_is_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "pilot.safetensors"
    save_pilot(Pilot({"token": np.ones((3, 8))}), path)
    assert is_finished(path)
    content = path.read_bytes()
    path.write_bytes(content[:-9] + bytes([content[-9] ^ 1]) + content[-8:])
    assert not is_finished(path)


def test_a_full_disk_is_told_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(arrays: object, path: Path) -> None:
        path.write_bytes(b"half")
        raise SafetensorError("No space left on device (os error 28)")

    monkeypatch.setattr("safetensors.numpy.save_file", full)
    with pytest.raises(InputError, match=r"pilot\.safetensors: cannot be written: No space left"):
        save_pilot(Pilot({"token": np.zeros((1, 2))}), tmp_path / "pilot.safetensors")
    assert not [*tmp_path.iterdir()]
