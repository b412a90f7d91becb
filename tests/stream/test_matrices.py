"""Tests of `embspace.stream.matrices`."""

from pathlib import Path

import numpy as np
import pytest

from embspace.errors import InputError
from embspace.stream import matrices
from embspace.stream.matrices import MatrixFile


def saved(folder: Path, x: np.ndarray) -> Path:
    np.save(folder / "x.npy", x)
    return folder / "x.npy"


@pytest.mark.parametrize("number_type", ["<f4", "<f8", "<f2", ">f4", "<i4"])
def test_rows_are_those_of_the_matrix_in_float32(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number_type: str
) -> None:
    monkeypatch.setattr(matrices, "PIECE", 64)  # several pieces
    x = (10 * np.random.default_rng(0).normal(size=(31, 5))).astype(number_type)
    file = MatrixFile.of(saved(tmp_path, x))
    assert (file.n, file.dim) == (31, 5)
    np.testing.assert_array_equal(file.rows(4, 29), x[4:29].astype(np.float32))
    np.testing.assert_allclose(
        file.norms(), np.linalg.norm(x.astype(np.float32).astype(np.float64), axis=1)
    )


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e300])
def test_a_row_that_is_not_finite_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bad: float
) -> None:
    monkeypatch.setattr(matrices, "PIECE", 64)
    x = np.ones((40, 3))
    x[33, 1] = bad
    with pytest.raises(InputError, match="row 33: found NaN, infinity or"):
        MatrixFile.of(saved(tmp_path, x)).norms()


def test_a_norm_beyond_the_scan_is_named(tmp_path: Path) -> None:
    x = np.ones((4, 3), dtype=np.float32)
    x[2] = 1e-20
    with pytest.raises(InputError, match="row 2: found the norm 1.73205e-20, allowed: zero or"):
        MatrixFile.of(saved(tmp_path, x)).norms()


@pytest.mark.parametrize(
    ("x", "said"),
    [
        (np.ones(4), r"found the shape \(4,\), allowed: \(row, dim\)"),
        (np.ones((1, 4)), r"found the shape \(1, 4\)"),
        (np.ones((4, 0)), r"found the shape \(4, 0\)"),
        (np.ones((3, 4)) > 0, "found bool values, allowed: floating-point or integers"),
        (np.asfortranarray(np.ones((3, 4))), "found columns in order, allowed: rows"),
    ],
)
def test_what_is_no_matrix_of_rows_is_an_error(tmp_path: Path, x: np.ndarray, said: str) -> None:
    with pytest.raises(InputError, match=said):
        MatrixFile.of(saved(tmp_path, x))


def test_what_is_no_whole_npy_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"found the ending '.csv', allowed: .npy"):
        MatrixFile.of(tmp_path / "x.csv")
    with pytest.raises(InputError, match="not found"):
        MatrixFile.of(tmp_path / "x.npy")
    path = saved(tmp_path, np.ones((30, 4)))
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(InputError, match=r"is no whole .npy file"):
        MatrixFile.of(path)
    path.write_bytes(b"text")
    with pytest.raises(InputError, match=r"is no whole .npy file"):
        MatrixFile.of(path)


def test_a_file_cut_short_meanwhile_is_an_error(tmp_path: Path) -> None:
    path = saved(tmp_path, np.ones((30, 4)))
    file = MatrixFile.of(path)
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(InputError, match="ends before row 30"):
        file.rows(0, 30)


def test_objects_are_never_unpickled(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([[{}], [{}]]), allow_pickle=True)
    with pytest.raises(InputError, match=r"is no whole .npy file"):
        MatrixFile.of(tmp_path / "x.npy")
