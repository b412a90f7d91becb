from pathlib import Path

import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.files.tables import save_table
from embspace.published.contents import read_contents
from tests.verify.tree import put, table


@pytest.fixture(autouse=True)
def in_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_words_come_back_as_they_were_written():
    words = ['"', ",", "a\nb", "\x85", "\u2028", "nan", "[CLS]", "।"]
    save_table(pd.DataFrame({"token": words}), "x.csv")
    assert [row["token"] for row in read_contents(Path("x.csv")).rows] == words


def test_a_line_end_inside_a_cell_stays_what_it_is():
    Path("x.csv").write_bytes(b'token\n"a\r\nb"\n')
    assert read_contents(Path("x.csv")).rows == ({"token": "a\r\nb"},)


def test_json_becomes_one_row_of_dotted_keys():
    contents = read_contents(put("x.json", '{"a": {"b": 1, "c": [2.5, null]}, "d": "word"}'))
    assert contents.rows == ({"a.b": 1, "a.c.0": 2.5, "a.c.1": None, "d": "word"},)
    assert contents.by_name([]) == {(): contents.rows[0]}


def test_rows_that_share_a_name_are_numbered():
    contents = table("space n\ninput 1\ninput 2\njoint 3")
    assert list(contents.by_name(["space"])) == [
        ("space=input",),
        ("space=input", "#2"),
        ("space=joint",),
    ]
    assert list(contents.by_name([])) == [("#1",), ("#2",), ("#3",)]


def test_corpora_come_in_the_order_of_the_rows():
    contents = table("corpus other_corpus n\ntwo two 1\ntwo one 2")
    assert contents.corpora == ("two", "one")
    assert table("space n\ninput 1").corpora == ()


def test_a_row_about_two_corpora_is_kept_if_both_are():
    contents = table("corpus other_corpus n\none one 1\none two 2\ntwo two 3")
    assert [row["n"] for row in contents.about_corpora(["one", "two"]).rows] == ["1", "2", "3"]
    assert [row["n"] for row in contents.about_corpora(["one"]).rows] == ["1"]
    assert len(table("space n\ninput 1").about_corpora([]).rows) == 1


def test_columns_and_rows_can_be_left_out():
    contents = table("space n mean\ninput 1 2\njoint 3 4")
    assert contents.without(["n"]) == table("space mean\ninput 2\njoint 4")
    assert contents.where(lambda row: row["n"] == "3") == table("space n mean\njoint 3 4")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.csv", "", "x.csv: is empty"),
        ("x.csv", "a,b\n1,2\n3\n", "x.csv, line 3: 1 cells under 2 columns"),
        ("x.csv", "a,a\n1,2\n", "x.csv: the column 'a' is there more than once"),
        ("x.csv", 'a\n"1', "x.csv, line 2: is no CSV"),
        ("x.json", "{", "x.json: is no JSON"),
        ("x.json", "[1]", r"x.json: expected an object of keys and values, found \[1\]"),
    ],
)
def test_what_is_malformed_is_named(name: str, content: str, message: str):
    with pytest.raises(InputError, match=message):
        read_contents(put(name, content))


def test_a_missing_file_and_foreign_bytes_are_named():
    with pytest.raises(InputError, match=r"x\.csv: not found; `dvc repro` makes it"):
        read_contents(Path("x.csv"))
    Path("x.csv").write_bytes(b"token\n\xff\n")
    with pytest.raises(InputError, match=r"x\.csv: is not UTF-8"):
        read_contents(Path("x.csv"))


def test_rows_of_models_beside_one_another(tree: Path):
    beside = table("name n\na 1\nb 2\na 3")
    assert beside.names == {"a", "b"}
    assert [row["n"] for row in beside.about_names({"a", "c"}).rows] == ["1", "3"]
    alone = table("n\n1")
    assert alone.names == set()
    assert alone.about_names(set()) == alone
