from pathlib import Path

import numpy as np
import pytest

from embspace.errors import InputError
from embspace.files.graphs import load_graphs, save_graphs
from embspace.geometry.pairs.neighbors import NeighborGraph


def graph(n: int) -> NeighborGraph:
    rng = np.random.default_rng(n)
    indices = rng.integers(0, n, size=(n, 3)).astype(np.int32)
    return NeighborGraph(indices, np.sort(rng.random((n, 3)), axis=1))


def test_graphs_come_back_exactly(tmp_path):
    path = f"{tmp_path}/graphs.safetensors"
    save_graphs({"joint": graph(9), "positional": graph(5)}, path)
    loaded = load_graphs(path)
    assert list(loaded) == ["joint", "positional"]
    assert np.array_equal(loaded["joint"].indices, graph(9).indices)
    assert np.array_equal(loaded["joint"].distances, graph(9).distances)
    assert loaded["joint"].indices.dtype == np.int32


def test_views_of_a_longer_graph_are_saved_as_they_look(tmp_path):
    path = f"{tmp_path}/graphs.safetensors"
    save_graphs({"joint": graph(9).first(2)}, path)
    assert np.array_equal(load_graphs(path)["joint"].indices, graph(9).indices[:, :2])


def test_the_same_graphs_give_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        save_graphs({"joint": graph(9)}, f"{tmp_path}/{name}")
    assert Path(tmp_path, "a").read_bytes() == Path(tmp_path, "b").read_bytes()


def test_a_missing_or_broken_file_is_named(tmp_path):
    with pytest.raises(InputError, match="none.safetensors: not found"):
        load_graphs(f"{tmp_path}/none.safetensors")
    Path(tmp_path, "cut.safetensors").write_bytes(b"\x10")
    with pytest.raises(InputError, match="cut.safetensors: is no whole file"):
        load_graphs(f"{tmp_path}/cut.safetensors")
