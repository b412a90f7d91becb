import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.files.labels import read_labels
from embspace.files.vectors import read_vectors
from tests.files.number_files import X, columns_of


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("column", ["token", "label"])
def test_labels_are_words_whatever_they_look_like(tmp_path: Path, ending: str, column: str):
    rows = [{column: "007", "group": "1"}, {column: "nan", "group": "b"}]
    path = tmp_path / f"labels.{ending}"
    if ending == "jsonl":
        path.write_text("\n".join(map(json.dumps, rows)))
    elif ending == "csv":
        pd.DataFrame(rows).to_csv(path, index=False)
    else:
        pd.DataFrame(rows).to_parquet(path)
    labels = read_labels(path)
    assert labels["label"].tolist() == ["007", "nan"]
    assert labels["group"].tolist() == ["1", "b"]


def test_a_table_may_have_vectors_and_labels(tmp_path: Path):
    path = tmp_path / "x.csv"
    columns_of(X, token=["a", "b"]).to_csv(path, index=False)
    assert list(read_labels(path).columns) == ["label"]
    assert np.array_equal(read_vectors(path), X)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("word\na\n", "found the columns word, allowed: one of token or label, and group"),
        ("token,label\na,b\n", "found the columns token, label"),
        ("token,group\na,g\n,g\n", "column 'token': row 1 is empty"),
        ("token,group\na,\nb,g\n", "column 'group': row 0 is empty"),
    ],
)
def test_rows_without_a_label_are_told(tmp_path: Path, content: str, message: str):
    (tmp_path / "labels.csv").write_text(content)
    with pytest.raises(InputError, match=rf"labels\.csv: {message}"):
        read_labels(tmp_path / "labels.csv")


def test_labels_of_another_ending_or_place_are_told(tmp_path: Path):
    (tmp_path / "bad.jsonl").write_text("{\n")
    for file, message in {
        "labels.txt": "found the ending",
        "no.csv": "not found",
        "bad.jsonl": "cannot be read",
    }.items():
        with pytest.raises(InputError, match=f"{file}: {message}"):
            read_labels(tmp_path / file)


def test_labels_of_endless_depth_are_told(tmp_path: Path):
    path = tmp_path / "labels.jsonl"
    path.write_text("[" * 100_000)
    with pytest.raises(InputError, match=r"labels\.jsonl: cannot be read: "):
        read_labels(path)
