from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.files.vectors import read_vectors
from tests.files.number_files import FRAME, ROWS_OF, WORDS, X, columns_of, labels_of


@pytest.mark.parametrize(
    ("file", "write", "message"),
    [
        (
            "x.csv",
            lambda path: columns_of(X, word=["a", "b"]).to_csv(path, index=False),
            "column 'word': found str values, allowed: numbers; no dimensions are token, label",
        ),
        (
            "indexed.csv",
            lambda path: path.write_text(",x,y\n0.5,1,2\n0.1,3,4\n"),
            "a column has no name: is it an",
        ),
        (
            "odd.csv",
            lambda path: path.write_text("x0,x1,x2,year\n.5,1,2,1999\n3,4,5,2001\n"),
            "column 'year': others are called x0 … x2",
        ),
    ],
)
def test_a_column_that_is_neither_a_dimension_nor_a_name_is_told(
    tmp_path: Path, file: str, write: Callable[[Path], object], message: str
):
    write(tmp_path / file)
    with pytest.raises(InputError, match=rf"{file}(, line \d)?: .*{message}"):
        read_vectors(tmp_path / file)


@pytest.mark.parametrize("name", ["x.csv", "x.parquet", "x.jsonl", "x.NDJSON", "x.tsv", "x.json"])
@pytest.mark.parametrize("named", [False, True])
def test_row_names_that_are_labels_are_kept(tmp_path: Path, name: str, named: bool):
    table = FRAME.set_axis(["x", "y", "z"], axis=1)
    table = table.set_axis(pd.Index(WORDS, name="word" if named else None), axis=0)
    path = tmp_path / name
    if name.endswith((".csv", ".tsv")):
        if named:
            table.index.name = "label"
        table.to_csv(path, sep="\t" if name.endswith(".tsv") else ",")
    elif name == "x.parquet":
        table.to_parquet(path)
    else:
        table = table.reset_index(names="label")
        table.to_json(path, orient="records", lines=name != "x.json")
    assert labels_of(path) == (ROWS_OF, WORDS)
