"""Tests of `embspace.stream.units.join`."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from embspace.stream.plan import Shard
from embspace.stream.units.join import join_shards, places_of
from embspace.stream.units.rows import ALONE, rows_of
from tests.stream.units.shards import run_calls, shards_of, write_rows

POSTS = [f"post number {number} says that the tide was high" for number in range(40)]


def homes_by_document(shards: Sequence[Shard]) -> dict[str, set[int]]:
    homes: dict[str, set[int]] = defaultdict(set)
    for shard in shards:
        for text in rows_of(shard):
            homes[text.document].add(shard.number)
    return homes


def test_copies_of_a_text_are_one_unit_in_one_shard(tmp_path: Path) -> None:
    """40 texts, of which 30 are there twice more, in other spellings and another file."""
    write_rows(tmp_path / "texts/a.jsonl", [{"text": text} for text in POSTS])
    again = [{"text": text.upper()} for text in POSTS[:30]] + [{"text": None}]
    write_rows(tmp_path / "texts/b.jsonl", again)
    write_rows(tmp_path / "texts/c.jsonl", [{"text": f" {text}"} for text in POSTS[29::-1]])
    plain = shards_of(tmp_path / "texts", 10)
    shards, n_copies = join_shards(plain, tmp_path / "units", 0.9, run_calls)
    assert n_copies == 60
    homes = homes_by_document(shards)
    assert len(homes) == 41 and all(len(home) == 1 for home in homes.values())
    read = sorted(text.id for shard in shards for text in rows_of(shard))
    assert read == sorted(text.id for shard in plain for text in rows_of(shard))
    sizes = [len(list(rows_of(shard))) for shard in shards]
    assert max(sizes) < 45  # units spread over the shards, and do not all go to the first
    assert len({shard.key for shard in [*plain, *shards]}) == 20


def test_the_same_texts_have_the_same_keys_and_others_have_others(tmp_path: Path) -> None:
    write_rows(tmp_path / "texts/a.jsonl", [{"text": text} for text in POSTS])
    write_rows(tmp_path / "texts/b.jsonl", [{"text": text} for text in POSTS])
    plain = shards_of(tmp_path / "texts", 10)

    def keys(folder: str, similarity: float | None = 0.9, n: int = len(plain)) -> list[str]:
        shards, _ = join_shards(plain[:n], tmp_path / folder, similarity, run_calls)
        return [shard.key for shard in shards]

    assert keys("a") == keys("a") == keys("b")
    assert keys("a", n=4) == [shard.key for shard in plain[:4]]  # no copy of another


def test_texts_of_a_document_are_read_together(tmp_path: Path) -> None:
    rows = [{"text": text, "document": f"d{n // 7}"} for n, text in enumerate(POSTS)]
    write_rows(tmp_path / "texts/a.jsonl", rows)
    shards, n_copies = join_shards(
        shards_of(tmp_path / "texts", 10), tmp_path / "units", None, run_calls
    )
    homes = homes_by_document(shards)
    assert n_copies == 0 and len(homes) == 6
    assert all(len(home) == 1 for home in homes.values())


def test_documents_with_copies_of_one_text_are_one(tmp_path: Path) -> None:
    rows = [{"text": POSTS[n % 10], "document": f"d{n // 2}"} for n in (0, 1, 2, 3, 11, 12)]
    write_rows(tmp_path / "texts/a.jsonl", rows)
    shards, n_copies = join_shards(
        shards_of(tmp_path / "texts", 2), tmp_path / "units", None, run_calls
    )
    assert n_copies == 2
    assert len(homes_by_document(shards)) == 2  # 0 with 5, 1 with 6


def test_a_document_may_have_the_name_of_one_of_its_texts(tmp_path: Path) -> None:
    """As a thread has that of its first post."""
    rows = [{"text": text, "document": f"a{n % 8}"} for n, text in enumerate(POSTS)]
    write_rows(tmp_path / "texts/a.jsonl", rows)
    shards, _ = join_shards(shards_of(tmp_path / "texts", 7), tmp_path / "units", None, run_calls)
    homes = homes_by_document(shards)
    assert len(homes) == 8 and all(len(home) == 1 for home in homes.values())


@pytest.mark.parametrize("part", [slice(0, 50), slice(0, -3), slice(3, None)])
def test_a_damaged_file_of_moved_rows_is_written_anew(tmp_path: Path, part: slice) -> None:
    write_rows(tmp_path / "texts/a.jsonl", [{"text": text} for text in POSTS * 2])
    arguments = shards_of(tmp_path / "texts", 10), tmp_path / "units", 0.9, run_calls
    shards, _ = join_shards(*arguments)
    before = [text for shard in shards for text in rows_of(shard)]
    for path in (tmp_path / "units").glob("*.jsonl"):
        path.write_bytes(path.read_bytes()[part])
    again, _ = join_shards(*arguments)
    assert [text for shard in again for text in rows_of(shard)] == before


def test_a_text_that_stands_alone_stays() -> None:
    first, second = places_of(np.array([0, 1, 2, 1, 3]), [3, 2])
    assert first.unit.tolist() == [ALONE, 1, ALONE] and second.unit.tolist() == [1, ALONE]
    assert first.home[[0, 2]].tolist() == [0, 0] and second.home[1] == 1
    assert first.home[1] == second.home[0]
