from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from embspace.errors import InputError
from embspace.files.tensors import (
    listed_shapes,
    load_tensors,
    map_tensors,
    save_tensors,
    tensor_names,
    writing_tensors,
)


@pytest.fixture(autouse=True)
def in_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_tensors_come_back_by_name():
    x, y = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((1, 2), np.float32)
    save_tensors({"x": x, "y": y}, "t.safetensors")
    assert np.array_equal(load_tensors("t.safetensors")["x"], x)
    assert list(load_tensors("t.safetensors", ["y"])) == ["y"]


def test_pieces_written_in_any_order_are_what_the_library_reads():
    token = np.random.default_rng(0).normal(size=(3, 10, 4)).astype(np.float32)
    cls = token[:, :2]
    with writing_tensors("t.safetensors", {"token": (3, 10, 4), "cls": (3, 2, 4)}) as writer:
        for layer in (2, 0, 1):
            writer.write("token", layer, 6, token[layer, 6:])
            writer.write("cls", layer, 0, cls[layer])
            writer.write("token", layer, 0, token[layer, :6])
    read = load_file("t.safetensors")
    assert np.array_equal(read["token"], token)
    assert np.array_equal(read["cls"], cls)


def test_the_same_tensors_give_the_same_bytes_either_way():
    x = np.ones((1, 2, 3), np.float32)
    save_tensors({"x": x}, "a.safetensors")
    with writing_tensors("b.safetensors", {"x": (1, 2, 3)}) as writer:
        writer.write("x", 0, 0, x[0])
    assert (
        load_tensors("a.safetensors")["x"].tolist() == load_tensors("b.safetensors")["x"].tolist()
    )
    first = Path("a.safetensors").read_bytes()
    save_tensors({"x": x}, "a.safetensors")
    assert Path("a.safetensors").read_bytes() == first


def test_a_cut_file_is_refused():
    save_tensors({"x": np.ones((4, 4), np.float32)}, "t.safetensors")
    content = Path("t.safetensors").read_bytes()
    Path("t.safetensors").write_bytes(content[:-8])
    with pytest.raises(InputError, match=r"t\.safetensors: is no whole safetensors file"):
        load_tensors("t.safetensors")


def test_a_missing_file_says_how_to_make_it():
    with pytest.raises(InputError, match="not found; `dvc repro` makes it"):
        load_tensors("t.safetensors")


def test_mapped_tensors_are_the_loaded_ones(tmp_path: Path):
    path = str(tmp_path / "x.safetensors")
    given = {"a": np.arange(6.0).reshape(1, 2, 3), "b": np.ones((2, 1)), "none": np.ones((3, 0, 4))}
    save_tensors(given, path)
    mapped, loaded = map_tensors(path, ["a", "b", "none"]), load_tensors(path)
    assert sorted(tensor_names(path)) == sorted(loaded)
    for name in given:
        assert mapped[name].shape == loaded[name].shape
        assert (mapped[name] == loaded[name]).all()
    with pytest.raises(ValueError, match="read-only"):
        mapped["a"][0] = 1


def test_a_mapped_file_that_is_missing_or_cut_is_refused(tmp_path: Path):
    path = tmp_path / "x.safetensors"
    with pytest.raises(InputError, match="not found; `dvc repro` makes it"):
        map_tensors(str(path), ["a"])
    save_tensors({"a": np.ones((4, 4))}, str(path))
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(InputError, match="is no whole safetensors file"):
        map_tensors(str(path), ["a"])


def test_shapes_are_read_of_the_header_of_anybodys_file():
    save_tensors({"x": np.ones((2, 3)), "y": np.ones(4)}, "t.safetensors")
    assert listed_shapes("t.safetensors") == {"x": [2, 3], "y": [4]}
    Path("t.safetensors").write_bytes(b"\xff" * 100)
    with pytest.raises(InputError, match=r"t\.safetensors: is no whole safetensors file"):
        listed_shapes("t.safetensors")


@pytest.mark.parametrize(
    ("shape", "layer", "first"),
    [
        ((2, 4, 3), 0, 0),
        ((2, 4), 0, 0),
        ((2, 3), 2, 0),
        ((2, 3), 0, 3),
        ((5, 3), 0, 0),
        ((3,), 0, 0),
    ],
)
def test_rows_that_have_no_place_are_refused_and_leave_no_file(
    shape: tuple[int, ...], layer: int, first: int
):
    with (
        pytest.raises(InputError, match=r"'x': found rows of the shape .* \(2, 4, 3\)"),
        writing_tensors("t.safetensors", {"x": (2, 4, 3)}) as writer,
    ):
        writer.write("x", layer, first, np.zeros(shape, np.float32))
    assert not Path("t.safetensors").exists()
