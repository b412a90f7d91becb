import numpy as np
import pytest

from embspace.geometry.pairs.neighbor_graph import neighbor_graph_of, ratios_of_distances
from tests.geometry.clouds import CLOUD


def test_a_graph_serves_for_fewer_neighbors_than_it_has() -> None:
    graph = neighbor_graph_of(CLOUD, 10)
    few = neighbor_graph_of(graph, 3)
    assert (few.indices == neighbor_graph_of(CLOUD, 3).indices).all()
    distances = np.linalg.norm(CLOUD[:, None] - CLOUD[None], axis=2)
    np.fill_diagonal(distances, np.inf)
    assert few.distances == pytest.approx(np.sort(distances, axis=1)[:, :3], rel=1e-12)
    with pytest.raises(ValueError, match="k: expected 1 to 10, found 11"):
        neighbor_graph_of(graph, 11)


@pytest.mark.parametrize("k", [0, 200])
def test_as_many_neighbors_as_there_are_others(k: int) -> None:
    with pytest.raises(ValueError, match=f"k: expected 1 to 199, the other vectors, found {k}"):
        neighbor_graph_of(CLOUD, k)


def test_a_ratio_is_one_up_to_a_millionth_more() -> None:
    farther = 1 + np.array([0, 0.5e-6, 0.99e-6, 1.01e-6, 1.0])
    expected = [1, 1, 1, 1 + 1.01e-6, 2]
    assert ratios_of_distances(farther, np.ones(5)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("scale", [1e-6, 1 / 700, 1000.7])
@pytest.mark.parametrize("shift", [0.0, 10.3])
def test_scale_and_shift_change_no_neighbor_and_no_digit(scale: float, shift: float) -> None:
    graph, changed = neighbor_graph_of(CLOUD, 20), neighbor_graph_of(scale * (CLOUD + shift), 20)
    assert (changed.indices == graph.indices).all()
    assert changed.distances / scale == pytest.approx(graph.distances, rel=1e-12)


def test_copies_that_only_rounding_tells_apart_have_no_distance() -> None:
    x = np.concatenate([CLOUD, CLOUD * (1 + 2e-16)]) + 3.0
    x[len(CLOUD) :] *= 1 - 2.0**-53
    distances = neighbor_graph_of(x, 2).distances
    assert (distances[:, 0] == 0).all() and (distances[:, 1] > 1e-3).all()


def test_pairs_that_float32_cannot_tell_apart_have_their_distances() -> None:
    x = np.concatenate([CLOUD, CLOUD + 1e-10])
    expected = 1e-10 * np.sqrt(CLOUD.shape[1])
    assert neighbor_graph_of(x, 1).distances == pytest.approx(expected, rel=1e-4)


def test_one_neighbor_or_all_others_may_be_asked_for() -> None:
    x = np.array([[0.0], [1], [3]])
    assert neighbor_graph_of(x, 1).indices.tolist() == [[1], [0], [1]]
    assert neighbor_graph_of(x, 2).distances == pytest.approx(np.array([[1, 3], [1, 2], [2, 3]]))
    for k in (0, 3):
        with pytest.raises(ValueError, match=f"k: expected 1 to 2, the other vectors, found {k}"):
            neighbor_graph_of(x, k)
