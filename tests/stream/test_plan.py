"""Tests of `embspace.stream.plan`."""

from pathlib import Path

import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.stream.plan import default_size, plan_shards
from embspace.stream.sources import Source, find_sources
from tests.stream.trees import reading_of


def test_shards_hold_each_row_once(tiny_tree: Path) -> None:
    sources = find_sources(str(tiny_tree / "texts"), "text", "id")
    shards = plan_shards(sources, reading_of(tiny_tree), 25)
    assert [(shard.first, shard.n) for shard in shards] == [(0, 20), (20, 20), (40, 20)]
    assert len({shard.key for shard in shards}) == 3


def test_keys_change_with_what_changes_numbers_alone(tiny_tree: Path) -> None:
    sources = find_sources(str(tiny_tree / "texts"), "text", "id")

    def key(**changed: object) -> str:
        return plan_shards(sources, reading_of(tiny_tree, **changed), 60)[0].key

    assert key() == key(tokens_per_batch=9, device="cuda")
    assert len({key(), key(weights="other"), key(window_length=9), key(spaces=("cls",))}) == 4


def test_a_document_stays_in_one_shard(tiny_tree: Path, tmp_path: Path) -> None:
    table = pd.DataFrame({"text": ["a"] * 10, "document": list("aaaaaaabbc")})
    path = tmp_path / "a.parquet"
    table.to_parquet(path)
    source = Source(str(path), "text", None, "", whole_documents=True)
    shards = plan_shards([source], reading_of(tiny_tree), 3)
    assert [(shard.first, shard.n) for shard in shards] == [(0, 7), (7, 3)]


def test_a_corpus_has_16_to_128_shards_where_it_can() -> None:
    assert [default_size(n) for n in (5, 160, 50_000, 10**8)] == [1, 10, 1000, 781_250]


def test_no_text_is_an_error(tiny_tree: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("\n", encoding="utf-8")
    with pytest.raises(InputError, match="no row in any file"):
        plan_shards(find_sources(str(tmp_path), "text", None), reading_of(tiny_tree))
