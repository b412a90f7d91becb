import os
from pathlib import Path

import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.files.texts import MissingColumnError, flaw_of_text, load_texts


def written(tmp_path: Path, name: str, content: str | bytes | pd.DataFrame) -> str:
    path = tmp_path / name
    if isinstance(content, pd.DataFrame):
        content.to_parquet(path)
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


SAME: dict[str, str | bytes | pd.DataFrame] = {
    "x.jsonl": '{"id": "b", "text": "B, \\"b\\"", "domain": "d"}\n'
    '{"id": "a", "text": "A\\u2028\\nä", "domain": "NA"}\n',
    "x.csv": 'id,text,domain\r\nb,"B, ""b""",d\r\na,"A\u2028\nä",NA\r\n',
    "x.parquet": pd.DataFrame(
        {"id": ["b", "a"], "text": ['B, "b"', "A\u2028\nä"], "domain": ["d", "NA"]}
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_the_same_table_comes_from_each_format(tmp_path: Path, name: str):
    table = load_texts(written(tmp_path, name, SAME[name]))
    assert table["id"].tolist() == ["b", "a"]
    assert table["text"].tolist() == ['B, "b"', "A\u2028\nä"]
    assert table["domain"].tolist() == ["d", "NA"]


def test_a_plain_text_is_a_line_even_with_a_line_separator_inside(tmp_path: Path):
    table = load_texts(written(tmp_path, "x.txt", "one\u2028still one\ntwo\n"))
    assert table["text"].tolist() == ["one\u2028still one", "two"]
    assert table["id"].tolist() == ["1", "2"]


@pytest.mark.parametrize("content", ["one", "one\n", "\ufeffone\n"])
def test_one_text_is_a_table_too(tmp_path: Path, content: str):
    assert load_texts(written(tmp_path, "x.txt", content))["text"].tolist() == ["one"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.csv", "key,Tweet\nk2,B\nk1,A\n"),
        ("x.jsonl", '{"key": "k2", "Tweet": "B"}\n{"key": "k1", "Tweet": "A"}'),
        ("x.parquet", pd.DataFrame({"key": ["k2", "k1"], "Tweet": ["B", "A"]})),
    ],
)
def test_text_and_id_are_taken_from_the_columns_that_are_named(
    tmp_path: Path, name: str, content: str | pd.DataFrame
):
    path = written(tmp_path, name, content)
    table = load_texts(path, "Tweet", "key")
    assert table[["id", "text"]].to_numpy().tolist() == [["k2", "B"], ["k1", "A"]]
    assert load_texts(path, "Tweet")["id"].tolist() == ["1", "2"]


def test_ids_that_are_numbers_become_words(tmp_path: Path):
    path = written(tmp_path, "x.parquet", pd.DataFrame({"id": [7, 5], "text": ["A", "B"]}))
    assert load_texts(path)["id"].tolist() == ["7", "5"]


@pytest.mark.parametrize("name", ["x.txt", "x.csv", "x.jsonl"])
def test_a_long_line_comes_whole(tmp_path: Path, name: str):
    text = "wörd " * 20_000
    start, end = {"x.txt": ("", ""), "x.csv": ("text\n", ""), "x.jsonl": ('{"text": "', '"}')}[name]
    table = load_texts(written(tmp_path, name, f"{start}{text}{end}\n"))
    assert table["text"].tolist() == [text]
    assert len(text) == 100_000


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        # Nothing there.
        ("x.txt", "", "holds no text"),
        ("x.jsonl", "\n", "holds no text"),
        ("x.csv", "", "holds no text"),
        ("x.csv", "id,text\n", "holds no text"),
        ("x.parquet", pd.DataFrame({"text": pd.Series([], dtype=str)}), "holds no text"),
        # Empty texts.
        ("x.txt", "one\n \ntwo", "line 2: the text '2' is empty"),
        ("x.jsonl", '{"id": "a", "text": ""}', "line 1: the text 'a' is empty"),
        ("x.txt", "one\n\x02 \x01", "line 2: the text '2' holds nothing but blanks and control"),
        ("x.jsonl", '{"text": "a\\udce4"}', "the byte 0xE4, which is no UTF-8"),
        ("x.csv", "text\nA\n\t\n", "line 3: the text '2' is empty"),
        # Ids twice.
        ("x.jsonl", '{"id": 1, "text": "A"}\n{"id": 1, "text": "B"}', "line 2: the id '1' is that"),
        ("x.csv", "id,text\na,A\nb,B\na,C\n", "line 4: the id 'a' is that of line 2"),
        ("x.parquet", pd.DataFrame({"id": [1, 1], "text": ["A", "B"]}), "line 2: the id '1'"),
        # Columns missing, or of another kind.
        ("x.jsonl", '{"id": "a", "Text": "A"}', "line 1: no column 'text', found 'id', 'Text'"),
        ("x.csv", "id,Text\na,A\n", "line 2: no column 'text', found 'id', 'Text'"),
        ("x.parquet", pd.DataFrame({"Text": ["A"]}), "no column 'text', found 'Text'"),
        ("x.jsonl", '{"id": 1, "text": 3}', "line 1: key 'text': found 3"),
        ("x.parquet", pd.DataFrame({"text": ["A", None]}), "line 2: key 'text': found "),
        # Blank or missing ids, columns twice.
        ("x.csv", "id,text\na,A\n  ,B\n", "line 3: the id '  ' is empty"),
        ("x.jsonl", '{"id": "", "text": "A"}', "line 1: the id '' is empty"),
        ("x.jsonl", '{"id": null, "text": "A"}', "line 1: key 'id': found None, not a name or"),
        ("x.jsonl", '{"id": ["a"], "text": "A"}', r"line 1: key 'id': found \['a'\], not a name"),
        (
            "x.parquet",
            pd.DataFrame({"id": ["a", None], "text": ["A", "B"]}),
            "line 2: key 'id': found .*, not a name or number",
        ),
        ("x.csv", "id,text,text\na,A,B\n", "line 1: the column 'text' stands 2 times, expected on"),
        ("x.csv", "text\nA,B\n", "line 2: expected 1 column as"),
        # Characters that are none.
        (
            "x.txt",
            "one\ntw\0o",
            r"line 2: the text '2' holds a NUL character \(U\+0000\) at 2; all",
        ),
        ("x.csv", "id,text\na,A\0\n", "line 2: the text 'a' holds a NUL character"),
        ("x.jsonl", r'{"id": "a\u0000", "text": "A"}', r"line 1: the id 'a\\x00' holds a NUL char"),
        ("x.jsonl", r'{"text": "A \ud83d"}', r"line 1: found '\\ud83d', half of a pair of surrog"),
        ("x.jsonl", r'{"text": "A", "m": ["\uDE00"]}', r"line 1: found '\\ude00', half of a pair"),
        # What Python cannot hold.
        ("x.jsonl", f'{{"text": {"[" * 100_000}', "line 1: is nested too deeply; expected texts"),
        (
            "x.jsonl",
            f'{{"id": {"1" * 4301}}}',
            "line 1: found an integer of more than 4,300 digits",
        ),
        # Not what the ending says.
        ("x.jsonl", "A", "line 1: is no JSON"),
        ("x.jsonl", '["A"]', "line 1: expected keys and values"),
        ("x.csv", "id,text\na,A\nb,B,C\n", "line 3: expected 2 columns"),
        ("x.csv", "id,text\na\n", "line 2: expected 2 columns"),
        ("x.csv", 'id,text\na,"A\n', "is no CSV"),
        ("x.parquet", b"PAR1", "is no parquet table"),
        ("x.txt", b"\xff\xfe", "is not UTF-8"),
        (
            "x.csv",
            "id,text\na,\xe4\n".encode("latin-1"),
            r"line 2: the byte 0xe4 is not UTF-8; if it is CP1252, in which this line reads 'a,ä', "
            r"this makes it UTF-8:\n  iconv -f CP1252 -t UTF-8 /.*/x\.csv > /.*/x\.utf8\.csv",
        ),
        ("x.json", '[{"text": "A"},\n 7]', "entry 2: expected a text, or keys and values, found 7"),
        ("x.json", '{"text": "A"}', "expected a list of texts"),
        ("x.json", '["A",\n]', "line 2: is no JSON"),
        ("x.json", r'["A", "\ud800"]', r"found '\\ud800', half of a pair of surrogates"),
        ("x.json", f'[{{"text": {"1" * 4301}}}]', "found an integer of more than 4,300 digits"),
        ("x.json", "[" * 100_000, "is nested too deeply"),
        ("x.json", '[{"text": "A", "text": "B"}]', "the key 'text' stands 2 times in one row"),
        ("x.jsonl", '{"text": "A", "text": "B"}', "line 1: the key 'text' stands 2 times"),
        ("x.csv", "id;text\na;A\n", "found 'id;text'; is ';' the separator"),
        ("x.csv", "id\ttext\na\tA\n", r"is '\\t' the separator"),
        ("x.csv", "id;text\na;A, B\n", "line 2: expected 1 column .* is ';' the separator.* --sep"),
        ("x.csv", "nr;satz\n1;A\n", "found 'nr;satz'; is ';' the separator"),
        ("x.csv", '"id";"text"\n"a";"A"\n', "is no CSV: .* is ';' the separator"),
        ("x.csv", '"id,text"\n"a"\n', "found 'id,text'; name the one that has the texts"),
        ("x.jsonl", '{"id;text": "A"}\n', "found 'id;text'; name the one that has the texts"),
        ("x.csv", "text\na; b, c\n", "line 2: expected 1 column as in the first line, found 2$"),
        (
            "x.csv",
            "id,text\na,\nb,B\nc, \n",
            r"line 2: the text 'a' is empty; in all 2 of 3 texts\. `skip_empty: true`",
        ),
        ("x.jsonl", b'{"text": "\xc3"}', "is not UTF-8"),
        ("x.docx", "a", r"found the ending '\.docx', allowed: \.jsonl, \.ndjson, \.json, \.txt"),
    ],
)
def test_bad_files_are_answered_with_the_line(
    tmp_path: Path, name: str, content: str | bytes | pd.DataFrame, message: str
):
    path = written(tmp_path, name, content)
    with pytest.raises(InputError, match=message) as caught:
        load_texts(path)
    assert str(caught.value).startswith(path)


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path):
    os.mkfifo(tmp_path / "x.csv")
    with pytest.raises(
        InputError, match=r"x\.csv: is a pipe, a socket or a device; allowed: a file"
    ):
        load_texts(str(tmp_path / "x.csv"))


def test_a_missing_id_column_is_named(tmp_path: Path):
    path = written(tmp_path, "x.csv", "id,text\na,A\n")
    message = "line 2: no column 'key', found 'id', 'text'"
    with pytest.raises(MissingColumnError, match=message) as caught:
        load_texts(path, "text", "key")
    assert caught.value.column == "key"


def test_a_pair_of_surrogates_is_one_character(tmp_path: Path):
    path = written(tmp_path, "x.jsonl", r'{"text": "A \ud83d\ude00"}')
    assert load_texts(path)["text"].tolist() == ["A \U0001f600"]


def test_an_integer_as_long_as_may_be_is_an_id(tmp_path: Path):
    path = written(tmp_path, "x.jsonl", f'{{"id": {"1" * 4300}, "text": "A"}}')
    assert load_texts(path)["id"].tolist() == ["1" * 4300]


def test_what_was_found_is_shown_in_short(tmp_path: Path):
    path = written(tmp_path, "x.jsonl", f'{{"text": {list(range(10_000))}}}')
    with pytest.raises(InputError, match=r"found \[0, 1, 2, .*\.\.\.\], not a string") as caught:
        load_texts(path)
    assert len(str(caught.value)) < len(path) + 100


@pytest.mark.parametrize(
    ("text", "flaw"),
    [
        ("A", ""),
        ("\ufeff", ""),
        (" \n", "is empty"),
        ("", "is empty"),
        ("\0", "holds a NUL"),
        ("A\ud800", "holds '\\ud800', half of a pair"),
    ],
)
def test_a_text_without_words_or_with_nul_has_a_flaw(text: str, flaw: str):
    assert flaw_of_text(text).startswith(flaw)
    assert bool(flaw_of_text(text)) == bool(flaw)


@pytest.mark.parametrize("name", ["a\0.txt", "a\0.parquet", "\0.jsonl"])
def test_a_path_with_nul_is_named(name: str):
    with pytest.raises(InputError, match=r"x00.*: found a NUL character, which no path may hold"):
        load_texts(name)


def test_home_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    written(tmp_path, "x.txt", "one")
    assert load_texts("~/x.txt")["text"].tolist() == ["one"]
    with pytest.raises(InputError, match=f"^{tmp_path}/none.txt: not found"):
        load_texts("~/none.txt")


@pytest.mark.parametrize("name", ["none.txt", "none.csv", "none.jsonl", "none.parquet"])
def test_a_missing_file_is_named(tmp_path: Path, name: str):
    with pytest.raises(InputError, match=f"{name}: not found"):
        load_texts(str(tmp_path / name))


def test_tabs_and_lists_are_read_as_well(tmp_path: Path):
    table = load_texts(written(tmp_path, "x.tsv", 'id\ttext\nb\t"B, ""b"""\na\tA\n'))
    assert table[["id", "text"]].to_numpy().tolist() == [["b", 'B, "b"'], ["a", "A"]]
    table = load_texts(written(tmp_path, "x.json", '["one",\n {"text": "two", "id": "b"}]'))
    assert table[["id", "text"]].to_numpy().tolist() == [["1", "one"], ["b", "two"]]


def test_a_separator_is_taken_where_cells_are_separated(tmp_path: Path):
    path = written(tmp_path, "x.csv", "id;text\na;A, a\n")
    assert load_texts(path, separator=";")["text"].tolist() == ["A, a"]
    for name, separator in (("x.txt", ";"), ("y.csv", ";;")):
        with pytest.raises(InputError, match=r"allowed: one character,.* for \.csv and \.tsv"):
            load_texts(written(tmp_path, name, "a;b"), separator=separator)


def test_rows_without_a_text_are_skipped_if_that_is_wanted(tmp_path: Path):
    path = written(tmp_path, "x.csv", "text\none\n \nthree\n")
    table = load_texts(path, skip_empty=True)
    assert table["id"].tolist() == ["1", "3"]  # rows keep their numbers
    with_none = pd.DataFrame({"text": ["A", None]})
    assert load_texts(written(tmp_path, "x.parquet", with_none), skip_empty=True)["id"].size == 1
    with pytest.raises(InputError, match="holds no text"):
        load_texts(written(tmp_path, "y.txt", "\n \n"), skip_empty=True)


def test_the_line_of_a_foreign_byte_is_counted_over_the_whole_file(tmp_path: Path):
    content = b"text\n" + b"a long line of texts\n" * 10_000 + b"caf\xe9\n"
    with pytest.raises(InputError, match="line 10002: the byte 0xe9"):
        load_texts(written(tmp_path, "x.csv", content))
