"""Tests of `embspace.stream.sources`."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.stream.sources import (
    BUFFER,
    ENDINGS,
    NoText,
    count_rows,
    document_starts,
    find_sources,
    read_rows,
    say_of_empty,
)
from tests.loopback import closed_address, serving
from tests.prepare.sources.fake_hub import OLD, REPOSITORY
from tests.stream.addresses import data_sets, serving_files

# In a process of its own, with all that a worker imports: where the hub is, and whether it may be
# asked, is read when its library is imported.
READ = """
import sys
import embspace.stream.work
from embspace.stream.sources import count_rows, find_sources, read_rows
for place in sys.argv[1:]:
    for source in find_sources(place, "text", None):
        print(source.name, count_rows(source), [each.text for each in read_rows(source, 1, 2)])
"""


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


def test_files_of_a_web_server_are_read_in_parts(tmp_path: Path) -> None:
    table = pd.DataFrame({"text": ["one", "two", "three"]})
    table.to_parquet(tmp_path / "b.parquet")
    lines = table.to_json(orient="records", lines=True).encode()
    files = {"a.jsonl": lines, "b.parquet": (tmp_path / "b.parquet").read_bytes(), "c.csv": b"x"}
    with serving_files(files) as server:
        for place in ("/", "/*"):
            sources = find_sources(server.address + place, "text", None)
            assert [source.name for source in sources] == ["a.jsonl", "b.parquet"]
        for source in sources:
            assert count_rows(source) == 3
            assert [each.text for each in read_rows(source, 1, 5)] == ["two", "three"]
        server.requests.clear()
        assert len(find_sources(f"{server.address}/a.jsonl", "text", None)) == 1
        assert [each.method for each in server.requests] == ["GET", "HEAD"]  # not read for links
        with pytest.raises(InputError, match=r"none\.txt: no file of texts"):
            find_sources(f"{server.address}/none.txt", "text", None)
    with pytest.raises(InputError, match="cannot be reached"):
        find_sources(f"{closed_address()}/*.jsonl", "text", None)


def read_in_a_process(
    root: Path, address: str, home: Path, code: str, place: str = "", **said: str
) -> list[str]:
    """The lines that READ prints of a data set, of a hub at an address; else what went wrong."""
    known = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("HF_", "TRANSFORMERS_"))
    }
    known |= {"HF_ENDPOINT": address, "HF_HOME": str(home), "PYTHONPATH": str(root / "src")}
    done = subprocess.run(
        [sys.executable, "-c", code, f"hf://datasets/{REPOSITORY}{place}"],
        env=known | said,
        capture_output=True,
        text=True,
        check=False,
    )
    return (done.stdout or done.stderr).splitlines()


def test_models_that_came_first_do_not_cut_off_the_hub(root: Path, tmp_path: Path) -> None:
    code = f"import embspace.models, huggingface_hub.constants\n{READ}"
    with serving(data_sets) as server:
        found = read_in_a_process(root, server.address, tmp_path, code, "/posts")
        assert "train.parquet 3 ['B', 'C']" in found
        server.requests.clear()
        said = {"HF_HUB_OFFLINE": "1"}
        refused = read_in_a_process(root, server.address, tmp_path, code, "/posts", **said)
        assert "no file of texts" in refused[-1] and not server.requests


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ("", "train.parquet 3 ['B', 'C']"),
        ("/*.parquet", "train.parquet 3 ['B', 'C']"),
        (f"@{OLD}/posts/train.parquet", "train.parquet 3 ['B', 'C']"),
    ],
)
def test_files_of_a_data_set_on_a_hub_are_read(
    place: str, found: str, root: Path, tmp_path: Path
) -> None:
    place = place if place.startswith("@") else f"/posts{place}"
    with serving(data_sets) as server:
        assert found in read_in_a_process(root, server.address, tmp_path, READ, place)
        assert any("range" in each.headers for each in server.requests)


def test_lines_of_an_address_are_read_once_and_when_they_are_wanted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from fsspec.spec import AbstractBufferedFile

    read, given = AbstractBufferedFile.read, []

    def counted(self: AbstractBufferedFile, length: int = -1) -> bytes:
        given.append(len(content := read(self, length)))
        return content

    monkeypatch.setattr(AbstractBufferedFile, "read", counted)
    lines = b"".join(b'{"text": "%d %s"}\n' % (row, b"word " * 200) for row in range(2000))
    with serving_files({"a.jsonl": lines}) as server:
        source = find_sources(f"{server.address}/a.jsonl", "text", None)[0]
        rows = read_rows(source, 10, 5000)
        assert next(rows).text.startswith("10 word")
        assert sum(given) <= BUFFER < len(lines) / 4
        assert sum(1 for _ in rows) == 1989
    assert sum(given) == len(lines)


def test_memory_holds_a_buffer_of_a_file_of_lines(tmp_path: Path) -> None:
    import tracemalloc

    lines = b"".join(b'{"text": "%d %s"}\n' % (row, b"word " * 200) for row in range(4000))
    (tmp_path / "a.jsonl").write_bytes(lines)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(lines, 1))
    for source in find_sources(str(tmp_path), "text", None):
        tracemalloc.start()
        assert sum(1 for _ in read_rows(source, 0, 4000)) == 4000
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 2**21 < len(lines) / 1.9


def test_a_line_without_a_text_says_why(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "yes"}\nnonsense\n[1]\n{"other": 1, "b": 2}\n', encoding="utf-8")
    no_object = NoText("is in a line that is no JSON object")
    without = NoText("is in a row without 'text', which has 'other', 'b'")
    assert texts_of(path) == ["yes", no_object, no_object, without]
    source = find_sources(str(path), "text", "id")[0]
    assert next(read_rows(source, 0, 1)).text == NoText(
        "is in a row without 'id', which has 'text'"
    )


@pytest.mark.parametrize(
    "content", [b"no gzip", gzip.compress(b'{"text": "a"}\n' * 999, mtime=0)[:-9]]
)
def test_a_compressed_file_that_is_none_or_is_cut_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(content)
    with pytest.raises(OSError, match=r"a\.jsonl\.gz: cannot be read to its end: "):
        texts_of(path, n=10_000)
    with pytest.raises(InputError, match=r"a\.jsonl\.gz: cannot be read to its end: "):
        count_rows(find_sources(str(path), "text", None)[0])


def test_two_links_to_one_file_are_one(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n", encoding="utf-8")
    (tmp_path / "b.txt").symlink_to(tmp_path / "a.txt")
    assert len(find_sources(str(tmp_path), "text", None)) == 1


def test_files_that_are_no_texts_are_named(tmp_path: Path) -> None:
    for name in ("a.txt", "b.csv", "c.md"):
        (tmp_path / name).write_text("one\n", encoding="utf-8")
    said = list[str]()
    (source,) = find_sources(str(tmp_path), "text", None, said.append)
    assert said == [f"2 files passed over: b.csv, c.md; allowed: {', '.join(ENDINGS)}"]
    for number in range(9):
        (tmp_path / f"{number}.csv").touch()
    find_sources(str(tmp_path), "text", None, said.append)
    assert said[1].startswith("11 files passed over: 0.csv, 1.csv, 2.csv, 3.csv, 4.csv, …; ")
    assert source.name == "a.txt"


def test_files_without_a_row_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n", encoding="utf-8")
    (tmp_path / "b.txt").touch()
    sources = find_sources(str(tmp_path), "text", None)
    said = list[str]()
    say_of_empty(sources, sources[:1], said.append)
    say_of_empty(sources, sources, said.append)
    assert said == ["1 file passed over: b.txt; no row in it"]


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
