"""What was not used for long leaves the user's cache, and so does the oldest where it is full."""

import os
import time
from pathlib import Path

import pytest

from embspace.loaded import kept
from embspace.loaded.kept import MOST_DAYS, REFERENCES, remove_unused, unused_references

DAY = 24 * 3600


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three references of two files, used today, ten days ago, and longer than is kept."""
    monkeypatch.setenv("EMBSPACE_CACHE", str(tmp_path))
    place = tmp_path / REFERENCES
    place.mkdir()
    for name, days in (("new", 0), ("older", 10), ("oldest", MOST_DAYS + 1)):
        for ending in (".safetensors", ".windows.parquet"):
            file = place / f"{name}{ending}"
            file.write_bytes(bytes(100))
            then = time.time() - days * DAY
            os.utime(file, (then, then))
    return place


def test_what_was_not_used_for_long_goes(folder: Path):
    names = ["oldest.safetensors", "oldest.windows.parquet"]
    assert [file.name for file in unused_references()] == names
    remove_unused()
    assert not unused_references() and len([*folder.iterdir()]) == 4


def test_one_that_was_read_again_stays(folder: Path):
    (folder / "oldest.safetensors").touch()
    assert not unused_references()


def test_beyond_the_bound_the_oldest_go(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(kept, "MOST_BYTES", 399)
    assert {file.name.partition(".")[0] for file in unused_references()} == {"older", "oldest"}


def test_without_a_cache_there_is_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EMBSPACE_CACHE", str(tmp_path / "none"))
    assert not unused_references()
    remove_unused()
