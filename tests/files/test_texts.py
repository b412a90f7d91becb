from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.files.texts import load_texts


def written(tmp_path: Path, name: str, content: str | bytes) -> str:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def test_json_lines_keep_their_ids_and_their_order(tmp_path: Path):
    path = written(
        tmp_path, "x.jsonl", '{"id": "b", "text": "B"}\n{"id": "a", "text": "A\\u2028"}\n'
    )
    texts = load_texts(path)
    assert texts.ids == ("b", "a")
    assert texts.texts == ("B", "A\u2028")


def test_a_plain_text_is_a_line_even_with_a_line_separator_inside(tmp_path: Path):
    texts = load_texts(written(tmp_path, "x.txt", "one\u2028still one\ntwo\n"))
    assert texts.texts == ("one\u2028still one", "two")
    assert texts.ids == ("1", "2")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.txt", "", "holds no text"),
        ("x.jsonl", "\n", "holds no text"),
        ("x.txt", "one\n \ntwo", "line 2: the text '2' is empty"),
        ("x.jsonl", '{"id": "a", "text": ""}', "line 1: the text 'a' is empty"),
        ("x.jsonl", '{"id": 1, "text": "A"}\n{"id": 1, "text": "B"}', "line 2: the id '1' is that"),
        ("x.jsonl", '{"text": "A"}', "line 1: expected the keys 'id' and 'text'"),
        ("x.jsonl", '{"id": 1, "text": 3}', "line 1: key 'text': found 3"),
        ("x.jsonl", "A", "line 1: is no JSON"),
        ("x.txt", b"\xff\xfe", "is not UTF-8"),
        ("x.csv", "a", r"found the ending '\.csv', allowed: \.jsonl, \.txt"),
    ],
)
def test_bad_files_are_answered_with_the_line(
    tmp_path: Path, name: str, content: str | bytes, message: str
):
    with pytest.raises(InputError, match=message):
        load_texts(written(tmp_path, name, content))


def test_a_missing_file_is_named(tmp_path: Path):
    with pytest.raises(InputError, match=r"none\.txt: not found"):
        load_texts(str(tmp_path / "none.txt"))
