import csv
import gzip
import json
import pickle
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import save_file

from embspace.errors import InputError
from embspace.files import vectors
from embspace.files.vectors import (
    checked_vectors,
    read_labeled_vectors,
    read_labels,
    read_vectors,
)
from embspace.geometry.pairs import square_memory
from tests.lazy import safetensors_torch, torch

X = np.array([[0.5, -1.0, 3.25], [1e-3, 7.0, -0.125]], dtype=np.float32)
NAMES = ["x", "y", "z"]
ROWS = "".join(",".join(f"{value:.9g}" for value in row) + "\n" for row in X)
QUOTED_ROWS = re.sub(r"[^,\n]+", r'"\g<0>"', ROWS)


def columns_of(x: np.ndarray, **more: list[str]) -> pd.DataFrame:
    return pd.DataFrame({**more, **dict(zip(NAMES, x.T, strict=True))})


def list_column(path: Path) -> None:
    pd.DataFrame({"token": ["a", "b"], "embedding": list(X)}).to_parquet(path)


WRITERS: dict[str, Callable[[Path], object]] = {
    "x.npy": lambda path: np.save(path, X),
    "half.npy": lambda path: np.save(path, X.astype(np.float64)),
    "x.npz": lambda path: np.savez(path, vectors=X),
    "x.safetensors": lambda path: save_file({"vectors": X}, path),
    "x.csv": lambda path: columns_of(X, token=["a", "b"], id=["7", "8"]).to_csv(path, index=False),
    "counted.csv": lambda path: pd.DataFrame(X).to_csv(path, index=False),
    "headless.csv": lambda path: np.savetxt(path, X, delimiter=",", fmt="%.9g"),
    "marked.csv": lambda path: path.write_text(ROWS, encoding="utf-8-sig"),
    "marked_names.csv": lambda path: path.write_text(f"x,y,z\n{ROWS}", encoding="utf-8-sig"),
    "quoted.csv": lambda path: path.write_text(QUOTED_ROWS),
    "x.parquet": lambda path: columns_of(X, label=["a", "b"]).to_parquet(path),
    "lists.parquet": list_column,
}


@pytest.mark.parametrize("file", WRITERS)
def test_vectors_come_back_from_every_format(tmp_path: Path, file: str):
    WRITERS[file](tmp_path / file)
    vectors = read_vectors(tmp_path / file)
    assert vectors.dtype == np.float32
    assert np.array_equal(vectors, X)


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


def test_bfloat16_and_integers_are_numbers_too(tmp_path: Path):
    x = torch.tensor([[0.5, -1.0], [2.0, 3.0]], dtype=torch.bfloat16)
    safetensors_torch.save_file({"x": x}, tmp_path / "x.safetensors")
    np.save(tmp_path / "x.npy", np.array([[1, -2], [3, 4]], dtype=np.int8))
    assert read_vectors(tmp_path / "x.safetensors").tolist() == [[0.5, -1.0], [2.0, 3.0]]
    assert read_vectors(tmp_path / "x.npy").tolist() == [[1, -2], [3, 4]]


class Bomb:
    """Unpickled, it leaves a file behind."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return Path.touch, (self.path,)  # type: ignore[return-value]


@pytest.mark.parametrize("file", ["x.npy", "x.npz", "pickle.npy"])
def test_objects_are_refused_and_never_unpickled(tmp_path: Path, file: str):
    exploded = tmp_path / "exploded"
    objects = np.array([[Bomb(exploded), 1], [2, 3]], dtype=object)
    if file == "pickle.npy":
        (tmp_path / file).write_bytes(pickle.dumps(Bomb(exploded)))
    else:
        (np.savez if file.endswith("z") else np.save)(tmp_path / file, objects)
    with pytest.raises(InputError, match=f"{file}: .*found objects, which are read by unp"):
        read_vectors(tmp_path / file)
    assert not exploded.exists()


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (X[0], r"found the shape \(3,\), allowed: \(row, dim\), two or more of each"),
        (X[np.newaxis], r"found the shape \(1, 2, 3\)"),
        (X[:1], r"found the shape \(1, 3\)"),
        (X[:0], r"found the shape \(0, 3\)"),
        (X > 0, "found bool values, allowed: floating-point or integers"),
        (X.astype(complex), "found complex128 values"),
        (X.astype(str), "found <U32 values"),
        (np.where(X > 5, np.nan, X), "found 1 rows with NaN, .* the first is row 1"),
        (np.where(X == 0.5, np.inf, X), ".* the first is row 0; allowed: finite numbers"),
        (X.astype(np.float64) * 1e39, "found 2 rows with .* beyond float32"),
    ],
)
def test_what_is_no_matrix_of_finite_numbers_is_refused(x: np.ndarray, message: str):
    with pytest.raises(InputError, match=f"^here: {message}"):
        checked_vectors(x, "here")


def zip_of_readme(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("README", "vectors of mine")


def huge_npy(path: Path) -> None:
    """A header that promises 1.4 PiB, and no values."""
    with path.open("wb") as stream:
        header = {"descr": "<f4", "fortran_order": False, "shape": (10**12, 384)}
        np.lib.format.write_array_header_1_0(stream, header)


@pytest.mark.parametrize(
    ("file", "write", "message"),
    [
        ("none.npy", lambda path: None, "not found"),
        ("x.txt", lambda path: path.touch(), r"found the ending '\.txt', allowed: \.npy, \.npz"),
        ("text.npy", lambda path: path.write_text("1,2"), "cannot be read: "),
        ("x.npz", lambda path: np.savez(path, a=X, b=X), "found 2 arrays: a, b; allowed: one"),
        ("npy.npz", lambda path: np.save(path.open("wb"), X), r"is no \.npz archive"),
        ("readme.npz", zip_of_readme, "found 'README', which is no array; allowed: one array"),
        ("huge.npy", huge_npy, "cannot be read: "),
        ("x.safetensors", lambda path: save_file({"a": X, "b": X}, path), "found 2 tensors"),
        ("cut.safetensors", lambda path: path.write_bytes(b"12345678"), "no whole safetensors"),
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
        ("gap.csv", lambda path: path.write_text("x,y\n1,\n2,3\n"), "1 rows with NaN"),
        ("empty.csv", lambda path: path.write_text(""), "holds no row of numbers"),
        ("ragged.csv", lambda path: path.write_text("1,2\n3,4,5\n"), "expected 2 cells"),
        (
            "x.parquet",
            lambda path: pd.DataFrame({"v": [[1.0, 2.0], [1.0]]}).to_parquet(path),
            r"found rows of \[1, 2\] numbers, allowed: of one length",
        ),
        ("odd.csv", lambda path: path.write_text("0.5,n/a\n1,2\n3,4\n"), "found '0.5' and 'n/a'"),
        ("minus.csv", lambda path: path.write_text("\u22120.5,2\n1,2\n3,4\n"), "found '2' and"),
        ("text.parquet", lambda path: path.write_text("x"), "cannot be read"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_name(
    tmp_path: Path, file: str, write: Callable[[Path], object], message: str
):
    write(tmp_path / file)
    with pytest.raises(InputError, match=rf"{file}(, line \d)?: .*{message}"):
        read_vectors(tmp_path / file)


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


def test_an_archive_that_memory_does_not_hold_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    np.savez_compressed(tmp_path / "bomb.npz", x=np.zeros((2**15, 2**10), dtype=np.float32))
    assert (tmp_path / "bomb.npz").stat().st_size < 2**20
    monkeypatch.setattr(vectors, "available_memory", lambda: 2**26)
    with pytest.raises(InputError, match=r"bomb\.npz: needs 0\.1 GiB of memory, 0\.1 GiB are"):
        read_vectors(tmp_path / "bomb.npz")


def test_vectors_too_wide_for_a_covariance_are_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(square_memory, "available_memory", lambda: 2**30)
    with pytest.raises(InputError, match=r"^x\.npy: the covariance of 100,000 coordinates needs"):
        checked_vectors(np.zeros((6, 100_000), dtype=np.float32), "x.npy")


def test_labels_of_endless_depth_are_told(tmp_path: Path):
    path = tmp_path / "labels.jsonl"
    path.write_text("[" * 100_000)
    with pytest.raises(InputError, match=r"labels\.jsonl: cannot be read: "):
        read_labels(path)


def labels_of(path: Path, **given: Any) -> tuple[list[list[float]], list[str] | None]:
    read = read_labeled_vectors(path, **given)
    return read.vectors.tolist(), None if read.labels is None else read.labels["label"].tolist()


FRAME = pd.DataFrame([[0.5, 1.5, 2.5], [3.5, 4.5, 5.5], [6.5, 7.5, 8.5]])
ROWS_OF = FRAME.to_numpy().tolist()


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
    with pytest.raises(InputError, match=r"x\.npy: found --header, allowed: for \.csv and \.tsv"):
        read_vectors(tmp_path / "x.npy", header=True)


WORDS = ["007", "nan", "c"]


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
        ("x0,x1,x2,year\n.5,1,2,1999\n3,4,5,2001\n", "column 'year': others are called x0 … x2"),
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
