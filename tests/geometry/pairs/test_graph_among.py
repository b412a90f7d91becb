"""Holds the graph of some rows, taken from that of all, to one computed of these rows alone."""

import numpy as np
import pytest

from embspace.geometry.pairs.graph_among import graph_among
from embspace.geometry.pairs.neighbor_graph import neighbor_graph_of
from tests.geometry.brute import neighbors_of
from tests.geometry.clouds import CLOUD

RNG = np.random.default_rng(0)
HALF = np.sort(RNG.choice(len(CLOUD), 100, replace=False))
# Many equal distances, none of which rounding touches: the mean is 0.
GRID = np.stack(np.meshgrid(*[np.arange(-3.0, 4.0)] * 2), axis=-1).reshape(-1, 2)
COPIES = np.repeat(GRID, 3, axis=0)
CLOUDS = {"cloud": CLOUD, "far": CLOUD + 1e5, "grid": GRID, "copies": COPIES}


@pytest.mark.parametrize("n_known", [2, 7, 12, 40])
@pytest.mark.parametrize("name", CLOUDS)
def test_neighbors_are_those_of_comparing_all_the_rows(name: str, n_known: int) -> None:
    x = CLOUDS[name]
    rows = np.sort(np.random.default_rng(1).choice(len(x), len(x) // 2, replace=False))
    graph = graph_among(neighbor_graph_of(x, n_known), x, rows, 7)
    indices, distances = neighbors_of((x - x.mean(axis=0))[rows], 7)
    assert (graph.indices == indices).all()
    assert (graph.distances == distances).all()
    assert (graph.indices.dtype, graph.distances.dtype) == (np.int32, np.float64)


@pytest.mark.parametrize("n_known", [1, 10, 20, 199])
def test_a_fresh_graph_of_the_rows_is_the_same(n_known: int) -> None:
    graph = graph_among(neighbor_graph_of(CLOUD, n_known), CLOUD, HALF, 10)
    fresh = neighbor_graph_of(CLOUD[HALF], 10)
    assert (graph.indices == fresh.indices).all()
    assert graph.distances == pytest.approx(fresh.distances, rel=1e-12)


def test_rows_of_one_corner_need_no_known_neighbor() -> None:
    """Each of them has many others nearer to it than those that are among the rows."""
    far_apart = np.argsort(np.linalg.norm(CLOUD - CLOUD.mean(axis=0), axis=1))[-12:]
    rows = np.sort(far_apart)
    graph = graph_among(neighbor_graph_of(CLOUD, 5), CLOUD, rows, 11)
    assert (np.sort(graph.indices, axis=1) != np.arange(12)[:, None]).all()
    assert graph.distances == pytest.approx(neighbor_graph_of(CLOUD[rows], 11).distances, rel=1e-12)


def test_all_rows_have_the_graph_that_there_is() -> None:
    graph = neighbor_graph_of(CLOUD, 10)
    part = graph_among(graph, CLOUD, np.arange(len(CLOUD)), 4)
    assert (part.indices == graph.indices[:, :4]).all()
    assert (part.distances == graph.distances[:, :4]).all()


@pytest.mark.parametrize("k", [0, 100])
def test_as_many_neighbors_as_there_are_other_rows(k: int) -> None:
    with pytest.raises(ValueError, match=f"k: expected 1 to 99, the other rows, found {k}"):
        graph_among(neighbor_graph_of(CLOUD, 10), CLOUD, HALF, k)


def test_rows_one_step_of_float64_apart_are_copies_in_both_graphs() -> None:
    """Else a pair would have two distances, and a ratio of distances no bound."""
    x = np.random.default_rng(0).normal(size=(60, 5)) + 1000
    x[1], x[3] = np.nextafter(x[0], 1e9), np.nextafter(x[2], 1e9)
    rows = np.arange(40)
    among = graph_among(neighbor_graph_of(x, 1), x, rows, 1)
    assert (among.distances[:4] == 0).all()
    np.testing.assert_array_equal(among.distances, neighbor_graph_of(x[rows], 1).distances)


def test_all_other_rows_may_be_neighbors():
    x = np.array([[0.0], [1], [3], [7]])
    graph, rows = neighbor_graph_of(x, 1), np.array([0, 2, 3])
    assert graph_among(graph, x, rows, 2).indices.tolist() == [[1, 2], [0, 2], [1, 0]]
    assert graph_among(graph, x, rows, 1).indices.tolist() == [[1], [0], [1]]
    for k in (0, 3):
        with pytest.raises(ValueError, match=f"k: expected 1 to 2, the other rows, found {k}"):
            graph_among(graph, x, rows, k)
