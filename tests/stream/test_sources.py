"""Tests of `embspace.stream.sources`."""

import gzip
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.files.formats.endings import listed
from embspace.files.texts import flaw_of_text
from embspace.stream.sources import (
    BUFFER,
    NoText,
    check_unchanged,
    count_rows,
    document_starts,
    find_sources,
    is_changed,
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
        print(source.name, count_rows(source), [text.text for text in read_rows(source, 1, 2)])
"""


def flaw_of(text: object) -> str:
    if isinstance(text, NoText):
        return text.reason
    return flaw_of_text(text) if isinstance(text, str) else "is no text"


def texts_of(path: Path, first: int = 0, n: int = 100) -> list[object]:
    source = find_sources(str(path), "text", None)[0]
    return [row.text for row in read_rows(source, first, n)]


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
        rows = list(read_rows(source, 4, 3))
        assert [row.text for row in rows] == ["text 4", "text 5", "text 6"]
        lines = (9, 11, 13) if source.name == "b.txt" else (5, 6, 7)
        assert [row.id for row in rows] == [f"{source.name}:{line}" for line in lines]


def test_addresses_are_read_through_fsspec() -> None:
    import fsspec

    with fsspec.open("memory://corpus/a.txt", "wb") as file:
        file.write(b"one\ntwo\n")
    source = find_sources("memory://corpus", "text", None)[0]
    assert [row.text for row in read_rows(source, 1, 5)] == ["two"]


def test_files_of_a_web_server_are_read_in_parts(tmp_path: Path) -> None:
    table = pd.DataFrame({"text": ["one", "two", "three"]})
    table.to_parquet(tmp_path / "b.parquet")
    lines = table.to_json(orient="records", lines=True).encode()
    files = {"a.jsonl": lines, "b.parquet": (tmp_path / "b.parquet").read_bytes(), "c.pdf": b"x"}
    with serving_files(files) as server:
        for place in ("/", "/*"):
            sources = find_sources(server.address + place, "text", None)
            assert [source.name for source in sources] == ["a.jsonl", "b.parquet"]
        for source in sources:
            assert count_rows(source) == 3
            assert [row.text for row in read_rows(source, 1, 5)] == ["two", "three"]
        server.requests.clear()
        assert len(find_sources(f"{server.address}/a.jsonl", "text", None)) == 1
        assert [request.method for request in server.requests] == [
            "GET",
            "HEAD",
        ]  # not read for links
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
        printed = read_in_a_process(root, server.address, tmp_path, code, "/posts")
        assert "train.parquet 3 ['B', 'C']" in printed
        server.requests.clear()
        said = {"HF_HUB_OFFLINE": "1"}
        refused = read_in_a_process(root, server.address, tmp_path, code, "/posts", **said)
        assert "no file of texts" in refused[-1] and not server.requests


@pytest.mark.parametrize(
    ("place", "printed"),
    [
        ("", "train.parquet 3 ['B', 'C']"),
        ("/*.parquet", "train.parquet 3 ['B', 'C']"),
        (f"@{OLD}/posts/train.parquet", "train.parquet 3 ['B', 'C']"),
    ],
)
def test_files_of_a_data_set_on_a_hub_are_read(
    place: str, printed: str, root: Path, tmp_path: Path
) -> None:
    place = place if place.startswith("@") else f"/posts{place}"
    with serving(data_sets) as server:
        assert printed in read_in_a_process(root, server.address, tmp_path, READ, place)
        assert any("range" in request.headers for request in server.requests)


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
    no_object = [
        NoText(f"is in a line that is no JSON object: {reason}")
        for reason in (
            "is no JSON: Expecting value: line 1 column 1 (char 0)",
            "expected keys and values, found [1]",
        )
    ]
    without = NoText("is in a row without 'text', which has 'other', 'b'")
    assert texts_of(path) == ["yes", *no_object, without]
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


def test_two_hard_links_to_one_file_are_one(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n", encoding="utf-8")
    (tmp_path / "b.txt").hardlink_to(tmp_path / "a.txt")
    (tmp_path / "c.txt").symlink_to(tmp_path / "b.txt")
    assert [source.name for source in find_sources(str(tmp_path), "text", None)] == ["a.txt"]
    assert len(find_sources(f"{tmp_path}/*.txt", "text", None)) == 1


def test_a_link_whose_file_has_no_ending_is_read_by_its_own(tmp_path: Path) -> None:
    (tmp_path / "blobs").mkdir()
    pd.DataFrame({"text": ["one"]}).to_parquet(tmp_path / "blobs/0a1b")
    (tmp_path / "a.parquet").symlink_to(tmp_path / "blobs/0a1b")
    assert texts_of(tmp_path / "a.parquet") == ["one"]


def test_what_is_no_regular_file_is_named_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.txt")
    (tmp_path / "null.txt").symlink_to("/dev/null")
    (tmp_path / "nowhere.txt").symlink_to(tmp_path / "none")
    (tmp_path / "folder.txt").mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s.txt"))
    for place in (tmp_path, tmp_path / "x.txt", f"{tmp_path}/*.txt"):
        with pytest.raises(InputError, match="is a pipe, a socket or a device; allowed: a file"):
            find_sources(str(place), "text", None)
    (tmp_path / "a.txt").write_text("one\n", encoding="utf-8")
    said = list[str]()
    (source,) = find_sources(str(tmp_path), "text", None, said.append)
    assert source.name == "a.txt"
    assert said == [
        "4 files passed over: nowhere.txt, null.txt, s.txt, x.txt; is a pipe, a socket or a "
        "device; allowed: a file"
    ]


POISON = {
    "brackets": b'{"text": ' + b"[" * 100_000,
    "open objects": b'{"text": ' + b'{"a":' * 100_000,
    "a long integer": b'{"text": "a", "n": ' + b"1" * 5000 + b"}",
    "a number as text": b'{"text": 1e400, "id": "n"}',
    "half a character": rb'{"text": "a \ud83d", "id": "h"}',
    "half a character as id": rb'{"text": "a", "id": "\ud83d"}',
    "NUL": rb'{"text": "a\u0000b", "id": "0"}',
    "a raw NUL": b'{"text": "a\0b"}',
    "a foreign byte": b'{"text": "caf\xe9"}',
    "a key twice": b'{"text": "a", "text": "b"}',
    "a list as id": b'{"text": "a", "id": ["a"]}',
    "null as id": b'{"text": "a", "id": null}',
    "no object": b'["a"]',
    "no column": b'{"id": "c", "words": "a"}',
    "cut": b'{"text": "a',
    "NaN as id": b'{"text": "a", "id": NaN}',
}


@pytest.mark.parametrize("name", POISON)
def test_a_poison_line_has_no_text_and_the_others_stay(tmp_path: Path, name: str) -> None:
    good = [b'{"text": "one", "id": 0}', b'{"text": "two", "id": "b"}']
    (tmp_path / "a.jsonl").write_bytes(b"\n".join([good[0], POISON[name], good[1]]))
    (source,) = find_sources(str(tmp_path), "text", "id")
    assert count_rows(source) == 3
    first, bad, last = read_rows(source, 0, 9)
    assert (first.id, first.text, last.id, last.text) == ("0", "one", "b", "two")
    assert flaw_of(bad.text)
    bad.id.encode()  # as the table of what was left out has it
    json.dumps(bad.id).encode()


def test_lines_of_cells_that_are_no_rows_have_no_text(tmp_path: Path) -> None:
    content = b'sep=;\nid;text\na;"A; \n1"\n\nb;caf\xe9\nc;C;3\nd;"D" d\ne;E\0\nf;F\n'
    (tmp_path / "a.csv").write_bytes(content)
    (source,) = find_sources(str(tmp_path), "text", "id")
    assert count_rows(source) == 6
    texts = list(read_rows(source, 0, 9))
    assert [text.text for text in texts if isinstance(text.text, str)] == ["A; \n1", "E\0", "F"]
    assert [text.id for text in texts] == ["a", "a.csv:6", "a.csv:7", "a.csv:8", "e", "f"]


def test_rows_of_broken_columns_have_no_text(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    values = pa.array([b"one", b"caf\xe9", b"two"]).view(pa.string())
    pq.write_table(pa.table({"text": values}), tmp_path / "a.parquet")
    values_read = texts_of(tmp_path / "a.parquet")
    assert values_read[0] == "one" and values_read[2] == "two"
    assert "the byte 0xe9 is not UTF-8" in flaw_of(values_read[1])


def test_a_file_of_a_wide_encoding_is_refused_with_what_keeps_it(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "€"}\n', encoding="utf-16")
    (source,) = find_sources(str(tmp_path), "text", None)
    with pytest.raises(InputError, match=r"is not UTF-8; .*\n  iconv -f UTF-16 -t UTF-8 /.*a\.jso"):
        count_rows(source)


def test_a_folder_that_datasets_has_saved_is_read_by_its_list(tmp_path: Path) -> None:
    from datasets import Dataset

    Dataset.from_dict({"text": ["one", "two"]}).save_to_disk(tmp_path / "saved")
    (tmp_path / "saved/cache-1.arrow").write_bytes(b"of another time")
    (source,) = find_sources(str(tmp_path / "saved"), "text", None)
    assert count_rows(source) == 2
    assert [text.text for text in read_rows(source, 1, 5)] == ["two"]


def test_what_lies_beside_texts_ends_no_run(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "one"}\n', encoding="utf-8")
    (tmp_path / "dataset_infos.json").write_text('{"default": {}}', encoding="utf-8")
    (tmp_path / "labels.csv").write_text("id,label\na,1\n", encoding="utf-8")
    said = list[str]()
    sources = find_sources(str(tmp_path), "text", None, said.append)
    assert [source.name for source in sources] == ["a.jsonl", "labels.csv"]
    assert said[0].startswith("1 file passed over: dataset_infos.json; ")
    assert "is in a row without 'text'" in flaw_of(texts_of(tmp_path / "labels.csv")[0])
    (tmp_path / "b.json").write_text('["one", {"text": "two"}]', encoding="utf-8")
    assert texts_of(tmp_path / "b.json") == ["one", "two"]


def test_another_file_in_the_place_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\n", encoding="utf-8")
    (source,) = find_sources(str(path), "text", None)
    check_unchanged([source])
    path.write_text("one\ntwo\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"a\.txt: has changed while it was read"):
        check_unchanged([source])
    path.unlink()
    assert is_changed(source)


def test_files_that_are_no_texts_are_named(tmp_path: Path) -> None:
    for name in ("a.txt", "b.pdf", "c.md"):
        (tmp_path / name).write_text("one\n", encoding="utf-8")
    said = list[str]()
    (source,) = find_sources(str(tmp_path), "text", None, said.append)
    assert said == [f"2 files passed over: b.pdf, c.md; allowed: {listed()}"]
    for number in range(9):
        (tmp_path / f"{number}.pdf").touch()
    find_sources(str(tmp_path), "text", None, said.append)
    assert said[1].startswith("11 files passed over: 0.pdf, 1.pdf, 2.pdf, 3.pdf, 4.pdf, …; ")
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
    with pytest.raises(InputError, match=r"no file of texts; allowed: \.jsonl"):
        find_sources(str(tmp_path), "text", None)
    with pytest.raises(InputError, match="cannot be reached"):
        find_sources("nonsense://a", "text", None)
    pd.DataFrame({"words": ["a"]}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError, match="no column 'text', found"):
        texts_of(tmp_path / "a.parquet")
