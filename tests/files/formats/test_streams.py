import gzip
import io
import os
import socket
from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.files.formats.streams import NotUtf8Error, lines_of, opened


def lines(content: bytes) -> list[str]:
    return list(lines_of(io.BufferedReader(io.BytesIO(content))))  # type: ignore[arg-type]


def test_lines_end_where_the_file_says():
    assert lines(b"\xef\xbb\xbfa\r\nb\x85\xe2\x80\xa8\n") == ["a\r\n", "b\udc85\u2028\n"]
    assert lines(b"a\rb\r") == ["a\r", "b\r"]
    assert lines(b"a\rb\nc") == ["a\rb\n", "c"]
    assert lines(b"") == []


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_a_mark_of_a_wide_encoding_is_believed(encoding: str):
    with pytest.raises(NotUtf8Error):
        lines("a\nb".encode(encoding))


def test_a_broken_first_line_is_no_mark():
    assert lines(b"\xff\xfe\nb\n") == ["\udcff\udcfe\n", "b\n"]


def test_regular_files_alone_are_opened(tmp_path: Path):
    os.mkfifo(tmp_path / "x.csv")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s.csv"))
    for place, said in {
        "x.csv": "is a pipe",
        "s.csv": "is a pipe",
        "none.csv": "not found",
    }.items():
        with pytest.raises(InputError, match=f"{place}: {said}"), opened(tmp_path / place):
            pass
    with pytest.raises(InputError, match="cannot be read: Is a directory"), opened(tmp_path):
        pass


@pytest.mark.parametrize("content", [b"none", gzip.compress(b"a" * 9999, mtime=0)[:-9]])
def test_what_is_not_packed_whole_is_named(tmp_path: Path, content: bytes):
    (tmp_path / "x.txt.gz").write_bytes(content)
    with (
        pytest.raises(InputError, match=r"x\.txt\.gz: is no whole gzip file"),
        opened(tmp_path / "x.txt.gz") as stream,
    ):
        stream.read()
