"""JSON files of a model: read with or without a byte order mark, or refused by name."""

import re
from pathlib import Path

import pytest

from embspace.errors import RefusedModel
from embspace.files.json_keys import read_json, read_keys


def test_a_byte_order_mark_is_left_out(tmp_path: Path):
    (tmp_path / "x.json").write_bytes(b'\xef\xbb\xbf{"a": [1]}')
    assert read_keys(tmp_path / "x.json") == {"a": [1]}
    (tmp_path / "x.json").write_text("[1]")
    assert read_json(tmp_path / "x.json") == [1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "is no JSON: "),
        (b"\xff\xfe", "is no JSON: "),
        (b"[" * 100_000, "is no JSON: "),
        (b"[1]", "expected keys and values, found [1]"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "git lfs pull"),
    ],
)
def test_what_is_no_mapping_is_refused_by_its_file(tmp_path: Path, content: bytes, message: str):
    (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(RefusedModel, match=rf"x\.json: (.|\n)*{re.escape(message)}"):
        read_keys(tmp_path / "x.json")


def test_a_file_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(RefusedModel, match=r"x\.json: cannot be read: "):
        read_json(tmp_path / "x.json")
