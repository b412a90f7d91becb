import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from embspace.errors import InputError
from embspace.files.formats import arrays
from embspace.files.vectors import read_vectors
from tests.files.number_files import X
from tests.lazy import safetensors_torch, torch


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


def zip_of_readme(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("README", "vectors of mine")


@pytest.mark.parametrize(
    ("file", "write", "message"),
    [
        ("x.npz", lambda path: np.savez(path, a=X, b=X), "found 2 arrays: a, b; allowed: one"),
        ("npy.npz", lambda path: np.save(path.open("wb"), X), r"is no \.npz archive"),
        ("readme.npz", zip_of_readme, "found 'README', which is no array; allowed: one array"),
        ("x.safetensors", lambda path: save_file({"a": X, "b": X}, path), "found 2 tensors"),
        ("cut.safetensors", lambda path: path.write_bytes(b"12345678"), "no whole safetensors"),
    ],
)
def test_a_file_without_one_array_is_told(
    tmp_path: Path, file: str, write: Callable[[Path], object], message: str
):
    write(tmp_path / file)
    with pytest.raises(InputError, match=rf"{file}(, line \d)?: .*{message}"):
        read_vectors(tmp_path / file)


def test_an_archive_that_memory_does_not_hold_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    np.savez_compressed(tmp_path / "bomb.npz", x=np.zeros((2**15, 2**10), dtype=np.float32))
    assert (tmp_path / "bomb.npz").stat().st_size < 2**20
    monkeypatch.setattr(arrays, "available_memory", lambda: 2**26)
    with pytest.raises(InputError, match=r"bomb\.npz: needs 0\.1 GiB of memory, 0\.1 GiB are"):
        read_vectors(tmp_path / "bomb.npz")
