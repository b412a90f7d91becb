"""Tests of `embspace.stream.units.rows`."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from embspace.stream.units.rows import ALONE, UNIT, Places, rows_of, write_leaving, write_places
from tests.stream.units.shards import shards_of, write_rows

ODD = 'line\nbreak, "quotes", \u2028 and \U0001f600'


def test_rows_leave_one_shard_and_come_to_another_as_they_were(tmp_path: Path) -> None:
    write_rows(tmp_path / "texts/a.jsonl", [{"text": t} for t in ("one", ODD, "two", "three")])
    first, second = shards_of(tmp_path / "texts", 2)
    leaving = Places(np.array([ALONE, 1]), np.array([0, 1]))
    staying = Places(np.array([1, ALONE]), np.array([1, 1]))
    write_leaving(first, leaving, tmp_path / "left.jsonl")
    write_places(leaving, [], tmp_path / "first.json")
    write_places(staying, ["left.jsonl"], tmp_path / "second.json")
    assert [text.text for text in rows_of(replace(first, joined=str(tmp_path / "first.json")))] == [
        "one"
    ]
    texts = list(rows_of(replace(second, joined=str(tmp_path / "second.json"))))
    assert [text.text for text in texts] == ["two", "three", ODD]
    assert [text.id for text in texts] == ["a2", "a3", "a1"]
    assert [text.document for text in texts] == [UNIT.format(1), "a3", UNIT.format(1)]


def test_a_shard_that_nothing_joins_is_its_rows(tmp_path: Path) -> None:
    write_rows(tmp_path / "texts/a.jsonl", [{"text": "one"}, {"text": "two"}])
    (shard,) = shards_of(tmp_path / "texts", 5)
    assert [text.document for text in rows_of(shard)] == ["a0", "a1"]
