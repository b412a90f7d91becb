"""Tests of `embspace.stream.sources`."""

import gzip
from pathlib import Path

import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.stream.sources import count_rows, document_starts, find_sources, read_rows


def texts_of(path: Path, first: int = 0, n: int = 100) -> list[object]:
    source = find_sources(str(path), "text", None)[0]
    return [each.text for each in read_rows(source, first, n)]


def test_rows_of_all_formats_are_read_from_any_row(tmp_path: Path) -> None:
    table = pd.DataFrame({"text": [f"text {number}" for number in range(10)]})
    table.to_parquet(tmp_path / "a.parquet", row_group_size=3)
    (tmp_path / "b.txt").write_text("\n\n".join(table["text"]), encoding="utf-8")
    table.to_json(tmp_path / "c.jsonl", orient="records", lines=True)
    (tmp_path / "d.txt.gz").write_bytes(gzip.compress("\n".join(table["text"]).encode()))
    sources = find_sources(str(tmp_path), "text", None)
    assert [source.name for source in sources] == ["a.parquet", "b.txt", "c.jsonl", "d.txt.gz"]
    for source in sources:
        assert count_rows(source) == 10
        found = list(read_rows(source, 4, 3))
        assert [each.text for each in found] == ["text 4", "text 5", "text 6"]
        assert [each.id for each in found] == [f"{source.name}:{row}" for row in (4, 5, 6)]


def test_addresses_are_read_through_fsspec() -> None:
    import fsspec

    with fsspec.open("memory://corpus/a.txt", "wb") as file:
        file.write(b"one\ntwo\n")
    source = find_sources("memory://corpus", "text", None)[0]
    assert [each.text for each in read_rows(source, 1, 5)] == ["two"]


def test_a_line_that_is_no_object_has_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "yes"}\nnonsense\n[1]\n{"other": 1}\n', encoding="utf-8")
    assert texts_of(path) == ["yes", None, None, None]


def test_two_links_to_one_file_are_one(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n", encoding="utf-8")
    (tmp_path / "b.txt").symlink_to(tmp_path / "a.txt")
    assert len(find_sources(str(tmp_path), "text", None)) == 1


def test_documents_begin_where_another_one_ends(tmp_path: Path) -> None:
    table = pd.DataFrame({"text": list("abcd"), "document": ["x", "x", "y", "x"]})
    table.to_parquet(tmp_path / "a.parquet")
    source = find_sources(str(tmp_path / "a.parquet"), "text", None)[0]
    assert document_starts(source) == [0, 2, 3]


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no file of texts; allowed: \.parquet"):
        find_sources(str(tmp_path), "text", None)
    with pytest.raises(InputError, match="cannot be reached"):
        find_sources("nonsense://a", "text", None)
    pd.DataFrame({"words": ["a"]}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError, match="no column 'text', found"):
        texts_of(tmp_path / "a.parquet")
