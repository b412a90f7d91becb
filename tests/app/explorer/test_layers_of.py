from pathlib import Path

import numpy as np
import pytest

from embspace.app.explorer.fragment_of import explorer_of
from embspace.app.explorer.layers_of import UNKNOWN, layers_of
from embspace.app.explorer.packing import STEPS, Pack
from embspace.files.rows import load_rows, save_rows
from embspace.files.tables import load_table, save_table
from tests.app.explorer.layer_trees import K, N, places, write_layer_maps
from tests.app.explorer.trees import HOSTILE, read_arrays, read_data, write_tree


def test_places_and_changed_neighbors_are_those_of_the_tables(tmp_path: Path) -> None:
    pack = Pack()
    tables = layers_of(write_layer_maps(tmp_path), "tiny", pack)
    assert tables is not None
    arrays = read_arrays(pack.text(), pack.shapes)
    assert len(tables["names"]) == N and tables["names"][: len(HOSTILE)] == list(HOSTILE)
    assert [layer["layer"] for layer in tables["layers"]] == [0, 1, 2]
    for layer, table in enumerate(tables["layers"]):
        for axis, column in zip("xy", places()[layer].T, strict=True):
            span = table[axis]["high"] - table[axis]["low"]
            back = table[axis]["low"] + arrays[table[axis]["array"]] / STEPS * span
            np.testing.assert_allclose(back, column, atol=0.51 * span / STEPS)
        in_space, in_map, by_seed = (set(arrays[number].tolist()) for number in table["changed"])
        assert in_space == in_map == {(UNKNOWN, K, 0)[layer]}
        assert by_seed == {round(0.4 * K)}
    assert tables["layers"][0]["means"] == [None, None, 0.4]
    assert tables["layers"][1]["means"] == [1.0, 1.0, 0.4]
    assert [layer["untrained"] for layer in tables["layers"]] == [None, 0.25, 0.0]


def test_a_model_without_maps_of_layers_has_none(tmp_path: Path) -> None:
    assert layers_of(tmp_path, "tiny", Pack()) is None
    tree = write_layer_maps(tmp_path)
    for path, load, save in (
        ("data/projected/layer_maps/tiny.parquet", load_rows, save_rows),
        ("results/layer_maps/tiny.csv", load_table, save_table),
    ):
        save(load(str(tree / path))[:0], str(tree / path))  # as of too few tokens
    assert layers_of(tree, "tiny", Pack()) is None


@pytest.mark.parametrize("has_layers", [False, True])
def test_the_explorer_has_them_where_the_tree_does(tmp_path: Path, has_layers: bool) -> None:
    tree = write_tree(tmp_path)
    if has_layers:
        write_layer_maps(tree)
    fragment = explorer_of(tree, "tiny")
    assert fragment is not None
    content, _ = read_data(fragment.data)
    assert (content["layers"] is not None) == has_layers
