"""Tests of `embspace.stream.units.scan`."""

from pathlib import Path

import numpy as np
import pytest

from embspace.stream.plan import Shard
from embspace.stream.sources import find_sources
from embspace.stream.store import is_finished, read_array
from embspace.stream.units.scan import KEPT, LOOKED_UP, PARTS, scan_shard
from tests.stream.units.shards import shards_of, write_rows

LONG = " ".join(f"word{number}" for number in range(1000))


@pytest.fixture
def scan(tmp_path: Path) -> Path:
    rows = [
        {"text": "A cat.", "document": "x"},
        {"text": None},
        {"text": LONG},
        {"text": "a  CAT."},
        {"text": " "},
        {"text": "one two three four five six", "document": "x"},
    ]
    write_rows(tmp_path / "texts/a.jsonl", rows)
    path = tmp_path / "scan.safetensors"
    scan_shard(shards_of(tmp_path / "texts", 10)[0], 0.9, path)
    return path


def test_texts_that_are_equal_have_one_digest(scan: Path) -> None:
    digests, rows = read_array(scan, "text"), read_array(scan, "text_row").tolist()
    digest_of_row = {row: tuple(digest) for row, digest in zip(rows, digests.tolist(), strict=True)}
    assert sorted(digest_of_row) == [0, 2, 3, 5]  # no text is no copy of no text
    assert digest_of_row[0] == digest_of_row[3] and len(set(digest_of_row.values())) == 3
    assert is_finished(scan)


def test_documents_are_listed_by_name_or_id(scan: Path) -> None:
    rows, digests = read_array(scan, "document_row"), read_array(scan, "document").tolist()
    digest_of_row = {row: tuple(digest) for row, digest in zip(rows.tolist(), digests, strict=True)}
    assert sorted(digest_of_row) == [0, 2, 3, 5]
    assert digest_of_row[0] == digest_of_row[5] and len(set(digest_of_row.values())) == 3


def test_a_text_that_is_called_by_its_line_is_no_document(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\n", encoding="utf-8")
    (source,) = find_sources(str(tmp_path), "text", None)
    scan_shard(Shard(0, source, 0, 2, "key"), None, tmp_path / "scan.safetensors")
    assert not read_array(tmp_path / "scan.safetensors", "document_row").size


def test_the_least_hashes_of_runs_are_kept(scan: Path) -> None:
    assert read_array(scan, "sketch_end").tolist() == [0, 0, KEPT, KEPT, KEPT, KEPT + 2]
    run, rows = read_array(scan, "run"), read_array(scan, "run_row")
    assert (np.diff(run[:, 0].astype(float)) >= 0).all()
    assert (rows == 2).sum() == LOOKED_UP and (rows == 5).sum() == 1
    assert set(run[rows == 2, 0]) <= set(read_array(scan, "sketch").tolist())


def test_parts_go_by_the_first_byte(scan: Path) -> None:
    bounds, hashes = read_array(scan, "run_bounds"), read_array(scan, "run")[:, 0]
    assert len(bounds) == PARTS + 1 and bounds[-1] == len(hashes)
    for part in range(PARTS):
        assert set(hashes[bounds[part] : bounds[part + 1]] >> np.uint64(56)) <= {part}
