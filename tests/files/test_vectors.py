import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import save_file

from embspace.errors import InputError
from embspace.files.vectors import checked_vectors, read_vectors
from embspace.geometry.pairs import square_memory
from tests.files.number_files import X, assert_refused, columns_of

ROWS = "".join(",".join(f"{value:.9g}" for value in row) + "\n" for row in X)
QUOTED_ROWS = re.sub(r"[^,\n]+", r'"\g<0>"', ROWS)


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
        ("huge.npy", huge_npy, "cannot be read: "),
        ("gap.csv", lambda path: path.write_text("x,y\n1,\n2,3\n"), "1 rows with NaN"),
        ("text.parquet", lambda path: path.write_text("x"), "cannot be read"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_name(
    tmp_path: Path, file: str, write: Callable[[Path], object], message: str
):
    assert_refused(tmp_path / file, write, message)


def test_an_option_of_tables_is_not_for_an_array(tmp_path: Path):
    with pytest.raises(InputError, match=r"x\.npy: found --header, allowed: for \.csv and \.tsv"):
        read_vectors(tmp_path / "x.npy", header=True)


def test_vectors_too_wide_for_a_covariance_are_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(square_memory, "available_memory", lambda: 2**30)
    with pytest.raises(InputError, match=r"^x\.npy: the covariance of 100,000 coordinates needs"):
        checked_vectors(np.zeros((6, 100_000), dtype=np.float32), "x.npy")
