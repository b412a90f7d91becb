import csv
import gzip
import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.files.vectors import read_vectors
from tests.files.number_files import FRAME, ROWS_OF, WORDS, assert_refused, labels_of


def test_a_name_may_take_two_lines(tmp_path: Path):
    (tmp_path / "x.csv").write_text('\n"first\ncolumn",second\n1,2\n3,4\n')
    assert read_vectors(tmp_path / "x.csv").tolist() == [[1, 2], [3, 4]]


def test_an_index_beside_columns_that_are_numbers_is_named(tmp_path: Path):
    (tmp_path / "x.csv").write_text(",0.5,1.5\na,1,2\nb,3,4\n")
    with pytest.raises(InputError, match=r"line 1: found '0\.5' and ''.*may be an index"):
        read_vectors(tmp_path / "x.csv")


@pytest.mark.parametrize("blank", ["\n", "\n\n", "\r\n", " \n", "\ufeff\n"])
def test_a_blank_line_in_front_costs_no_row(tmp_path: Path, blank: str):
    (tmp_path / "x.csv").write_text(f"{blank}1,2\n3,4\n5,6\n", encoding="utf-8")
    assert read_vectors(tmp_path / "x.csv").tolist() == [[1, 2], [3, 4], [5, 6]]


@pytest.mark.parametrize(
    ("file", "write", "message"),
    [
        ("empty.csv", lambda path: path.write_text(""), "holds no row of numbers"),
        ("ragged.csv", lambda path: path.write_text("1,2\n3,4,5\n"), "expected 2 cells"),
        (
            "x.parquet",
            lambda path: pd.DataFrame({"v": [[1.0, 2.0], [1.0]]}).to_parquet(path),
            r"found rows of \[1, 2\] numbers, allowed: of one length",
        ),
        ("odd.csv", lambda path: path.write_text("0.5,n/a\n1,2\n3,4\n"), "found '0.5' and 'n/a'"),
        ("minus.csv", lambda path: path.write_text("\u22120.5,2\n1,2\n3,4\n"), "found '2' and"),
    ],
)
def test_a_table_of_other_than_numbers_is_told(
    tmp_path: Path, file: str, write: Callable[[Path], object], message: str
):
    assert_refused(tmp_path / file, write, message)


@pytest.mark.parametrize(
    "columns",
    [[1, 2, 3], [-1, 0, 1], [100, 101, 102], [1.0, 2.0, 3.0], [3, 2, 1], [0, 10, 20], [5, 17, 40]],
)
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
def test_whole_numbers_that_may_be_names_are_told(
    tmp_path: Path, columns: list[float], quoting: int
):
    path = tmp_path / "x.csv"
    FRAME.set_axis(columns, axis=1).to_csv(path, index=False, quoting=quoting)
    with pytest.raises(
        InputError, match=r"x\.csv, line 1: found .*say --header yes, or --header no"
    ):
        read_vectors(path)
    assert read_vectors(path, header=True).tolist() == ROWS_OF
    assert read_vectors(path, header=False).tolist() == [columns, *ROWS_OF]


def test_names_from_0_are_names_unless_it_is_said(tmp_path: Path):
    path = tmp_path / "x.csv"
    FRAME.to_csv(path, index=False)
    assert read_vectors(path).tolist() == ROWS_OF
    assert read_vectors(path, header=False).tolist() == [[0, 1, 2], *ROWS_OF]


@pytest.mark.parametrize(
    ("content", "labels"),
    [
        ("x,y,z\na,.5,1.5,2.5\nb,3.5,4.5,5.5\nc,6.5,7.5,8.5\n", list("abc")),  # a name short
        ("x,y,z\n1,.5,1.5,2.5\n2,3.5,4.5,5.5\n3,6.5,7.5,8.5\n", list("123")),  # as R writes it
        ("x,y,z\n.5,1.5,2.5,\n3.5,4.5,5.5,\n6.5,7.5,8.5,\n", None),  # a comma at the end
        ("x,y,z,\n.5,1.5,2.5,\n3.5,4.5,5.5,\n6.5,7.5,8.5,\n", None),
        ("# by hand\nx,y,z\n.5,1.5,2.5\n3.5,4.5,5.5\n6.5,7.5,8.5\n", None),
        ("# x,y,z\n.5,1.5,2.5\n3.5,4.5,5.5\n6.5,7.5,8.5\n", None),
        ("sep=;\nx;y;z\n0,5;1,5;2,5\n3,5;4,5;5,5\n6,5;7,5;8,5\n", None),
        ("x;y;z\n0,5;1,5;2,5\n3,5;4,5;5,5\n6,5;7,5;8,5\n", None),
        ("0,5;1,5;2,5\n3,5;4,5;5,5\n6,5;7,5;8,5\n", None),
        ("x\ty\tz\n.5\t1.5\t2.5\n3.5\t4.5\t5.5\n6.5\t7.5\t8.5\n", None),
        ('x,y,z\n"0,5","1,5","2,5"\n"3,5","4,5","5,5"\n"6,5","7,5","8,5"\n', None),
        ("a,.5,1.5,2.5\nb,3.5,4.5,5.5\nc,6.5,7.5,8.5\n", list("abc")),  # no names
        (",0,1,2\na,.5,1.5,2.5\nb,3.5,4.5,5.5\nc,6.5,7.5,8.5\n", list("abc")),
        (",x,y,z\n0,.5,1.5,2.5\n1,3.5,4.5,5.5\n2,6.5,7.5,8.5\n", list("012")),
        ("doc_id,x0,x1,x2\n7,.5,1.5,2.5\n9,3.5,4.5,5.5\n8,6.5,7.5,8.5\n", list("798")),
        ("Label,x,y,z\n007,.5,1.5,2.5\nnan,3.5,4.5,5.5\nc,6.5,7.5,8.5\n", WORDS),
        ("x,y,z\n\n.5,1.5,2.5\n\n3.5,4.5,5.5\n6.5,7.5,8.5\n\n", None),
    ],
)
def test_tables_of_people_have_their_numbers_and_labels(
    tmp_path: Path, content: str, labels: list[str] | None
):
    for name, opener in (("x.csv", open), ("X.CSV", open), ("x.csv.gz", gzip.open)):
        with opener(tmp_path / name, "wt", encoding="utf-8") as stream:
            stream.write(content)
        assert labels_of(tmp_path / name) == (ROWS_OF, labels)


@pytest.mark.parametrize("ending", ["jsonl", "json", "parquet"])
def test_numbers_beside_a_column_of_lists_are_no_dimensions(tmp_path: Path, ending: str):
    table = pd.DataFrame({"token": WORDS, "n": [1, 2, 3], "embedding": ROWS_OF})
    path = tmp_path / f"x.{ending}"
    if ending == "parquet":
        table.to_parquet(path)
    else:
        table.to_json(path, orient="records", lines=ending == "jsonl")
    assert labels_of(path) == (ROWS_OF, WORDS)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("x,y\n1,2,3,4\n5,6,7,8\n", "line 2: expected 2 cells as there are names, found 4"),
        ("x,y\n.1,.2,.3\n.5,.6,.7\n", "line 2: expected 2 cells as there are names, found 3"),
        ("x;y\n1,234;2,345\n3,456;4,567\n", "found '1,234', which may have decimals or thous"),
        ("x;y\n1,5;2.5\n3;4\n", "found '1,5' and '2.5', allowed: one decimal mark"),
        ("x,y\n1_0,2\n3,4\n", "line 2: found '1_0', allowed: numbers"),
        ("x,y\n1,2\nn/a,4\n", "line 3: found 'n/a', allowed: numbers"),
        ('x,y\n1,"2\n', "line 2: is no CSV: a quote that opens a cell"),
    ],
)
def test_tables_that_may_be_read_in_two_ways_are_told(tmp_path: Path, content: str, message: str):
    (tmp_path / "x.csv").write_text(content)
    with pytest.raises(InputError, match=re.escape(message)):
        read_vectors(tmp_path / "x.csv")
