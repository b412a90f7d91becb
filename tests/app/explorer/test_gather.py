from pathlib import Path

import numpy as np
import pytest

from embspace.app.explorer.gather import N_NEIGHBORS, gathered
from embspace.app.explorer.packing import STEPS, Pack
from tests.app.explorer.trees import (
    N_POSITIONS,
    N_TOKENS,
    SENTENCE,
    read_arrays,
    tokens,
    vectors,
    write_tree,
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree with maps; treat it as read-only."""
    return write_tree(tmp_path_factory.mktemp("tree"))


def test_a_tree_without_maps_has_no_explorer(tmp_path: Path):
    assert gathered(tmp_path, "tiny", Pack()) is None


def test_a_model_without_maps_has_none_of_another(tree: Path):
    assert gathered(tree, "other", Pack()) is None


@pytest.mark.parametrize("variant", [0, 1])
def test_neighbors_are_those_that_a_search_of_all_pairs_finds(tree: Path, variant: int):
    pack = Pack()
    content = gathered(tree, "tiny", pack)
    assert content is not None
    held = content["sets"][0]["maps"][variant]["neighbors"]
    indices = read_arrays(pack.text(), pack.shapes)[held["array"]].reshape(-1, held["k"])
    x = vectors(("joint", "joint_centered")[variant]).astype(np.float64)
    distances = np.linalg.norm(x[:, None] - x[None], axis=-1)
    np.fill_diagonal(distances, np.inf)
    np.testing.assert_array_equal(indices, np.argsort(distances, axis=1)[:, :N_NEIGHBORS])
    joint = vectors("joint").astype(np.float64)
    joint -= joint.mean(axis=0) * variant  # the second map's vectors are about the mean
    joint /= np.linalg.norm(joint, axis=1, keepdims=True)
    steps = read_arrays(pack.text(), pack.shapes)[held["cosines"]].reshape(-1, held["k"])
    cosines = np.einsum("nd,nkd->nk", joint, joint[indices])
    np.testing.assert_allclose(steps / 100 - 1, cosines, atol=0.00501)
    assert held["cosine"] == ("cosine", "cosine about the mean")[variant]


def test_coordinates_are_those_of_the_map(tree: Path):
    pack = Pack()
    content = gathered(tree, "tiny", pack)
    assert content is not None
    axes = content["sets"][0]["maps"][0]["axes"]
    arrays = read_arrays(pack.text(), pack.shapes)
    for number, axis in enumerate("xyz"):
        packed = axes[axis]
        span = packed["high"] - packed["low"]
        back = packed["low"] + arrays[packed["array"]] / STEPS * span
        np.testing.assert_allclose(back, vectors("joint")[:, number], atol=0.51 * span / STEPS)


def test_the_first_map_is_the_truest(tree: Path):
    content = gathered(tree, "tiny", Pack())
    assert content is not None
    (vocabulary,) = content["sets"]
    assert [layout["recall"] for layout in vocabulary["maps"]] == [0.1, 0.2, 0.0004, 0.5]
    assert vocabulary["start"] == 3
    assert vocabulary["maps"][3]["chance"] == 0.0006


def test_tokens_and_positions_keep_their_names_and_numbers(tree: Path):
    pack = Pack()
    content = gathered(tree, "tiny", pack)
    assert content is not None
    (vocabulary,) = content["sets"]
    assert vocabulary["names"][:N_TOKENS] == tokens()
    assert vocabulary["names"][N_TOKENS:] == [f"position {n}" for n in range(N_POSITIONS)]
    arrays = read_arrays(pack.text(), pack.shapes)
    (kind,) = vocabulary["categories"]
    assert arrays[kind["array"]].tolist() == [0] * N_TOKENS + [1] * N_POSITIONS
    norm = vocabulary["scalars"][0]
    assert (norm["name"], norm["low"], norm["high"]) == ("norm", 1.0, 2.0)


def test_a_graph_of_other_points_is_left_out(tmp_path: Path):
    from embspace.files.graphs import save_graphs
    from embspace.geometry.pairs.pairs import scan_pairs

    tree = write_tree(tmp_path)
    graph = scan_pairs(vectors("joint")[:-1], n_neighbors=3).neighbors
    assert graph is not None
    save_graphs({"joint": graph}, str(tree / "data/measured/nearest_neighbors/tiny.safetensors"))
    content = gathered(tree, "tiny", Pack())
    assert content is not None
    assert [layout["neighbors"] for layout in content["sets"][0]["maps"]] == [None] * 4


def test_trails_have_a_point_for_each_layer(tree: Path):
    content = gathered(tree, "tiny", Pack())
    assert content is not None
    (trail,) = content["trails"]
    assert (trail["view"], trail["text"]) == ("all_layers", SENTENCE)
    assert trail["tokens"][2] == {
        "token": "cat",
        "layers": [0, 1, 2],
        "x": [2, 3, 4],
        "y": [0, 1, 2],
    }
