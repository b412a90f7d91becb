from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.app.practice.vector_files import holds_vectors, mapped_vectors
from embspace.errors import InputError
from embspace.files.tensors import save_tensors


@pytest.mark.parametrize(
    ("table", "are_vectors"),
    [
        ({"label": ["a", "b"], "x": [np.ones(3), np.ones(3)]}, True),
        ({"d0": [0.5, 1.0], "d1": [0.5, 2.0]}, True),
        ({"text": ["a", "b"], "x": [np.ones(3), np.ones(3)]}, False),
        ({"body": ["a", "b"], "stars": [0.5, 1.0]}, False),
    ],
)
def test_a_parquet_is_told_by_its_columns(
    tmp_path: Path, table: dict[str, list[object]], are_vectors: bool
):
    file = tmp_path / "file.parquet"
    pd.DataFrame(table).to_parquet(file)
    assert holds_vectors(file) == are_vectors
    assert not holds_vectors(file, {"text_column": "label"})


def test_other_files_are_told_by_their_ending(tmp_path: Path):
    assert holds_vectors(Path("a.NPY")) and holds_vectors(Path("a.safetensors"))
    assert not holds_vectors(Path("a.csv")) and not holds_vectors(Path("articles"))
    assert not holds_vectors(tmp_path / "not_there.parquet")


def test_half_a_parquet_is_refused(tmp_path: Path):
    (tmp_path / "half.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"half\.parquet: is no whole parquet"):
        holds_vectors(tmp_path / "half.parquet")


def test_arrays_of_float32_stay_in_their_file(tmp_path: Path):
    x = np.random.default_rng(0).normal(size=(9, 4)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    save_tensors({"vectors": x}, str(tmp_path / "x.safetensors"))
    for name in ("x.npy", "x.safetensors"):
        mapped = mapped_vectors(tmp_path / name)
        assert isinstance(mapped, np.memmap) and not mapped.flags.writeable
        assert np.array_equal(mapped, x)


@pytest.mark.parametrize(
    "x",
    [
        np.ones((9, 4)),
        np.ones((9, 4), np.float32)[:, :1],
        np.asfortranarray(np.arange(36, dtype=np.float32).reshape(9, 4)),
        np.full((9, 4), np.nan, np.float32),
        np.ones(9, np.float32),
        np.array([["a", "b"]] * 2),
    ],
)
def test_what_must_be_converted_or_refused_is_no_map(x: np.ndarray, tmp_path: Path):
    np.save(tmp_path / "x.npy", x)
    assert mapped_vectors(tmp_path / "x.npy") is None


def test_broken_and_other_files_are_no_map(tmp_path: Path):
    (tmp_path / "x.npy").write_bytes(b"\x93NUMPY")
    (tmp_path / "x.safetensors").write_bytes(b"12345678")
    save_tensors({"a": np.ones((2, 2)), "b": np.ones((2, 2))}, str(tmp_path / "two.safetensors"))
    for name in ("x.npy", "x.safetensors", "two.safetensors", "x.npz", "not_there.npy"):
        assert mapped_vectors(tmp_path / name) is None
