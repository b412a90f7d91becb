"""Holds the correlation dimension to scikit-dimension and to a count of all pairs."""

import numpy as np
import pytest
import skdim
from scipy.spatial.distance import pdist

from embspace.geometry.measures.near_pairs import _pairs_within, correlation_dimension
from embspace.geometry.pairs.neighbor_graph import VectorsAndNeighbors, neighbor_graph_of


@pytest.mark.parametrize("d", [2, 3, 5])
def test_it_is_that_of_scikit_dimension(d: int) -> None:
    x = np.random.default_rng(0).uniform(size=(700, d))
    expected = skdim.id.CorrInt(k1=10, k2=20).fit(x).dimension_
    assert correlation_dimension(x).value == pytest.approx(expected, rel=0.01)


def test_it_is_the_slope_between_two_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("embspace.geometry.measures.near_pairs.BLOCK_ROWS", 37)
    x = np.random.default_rng(1).normal(size=(300, 4)) + 100
    squares = np.sort(np.linalg.norm(x[:, None] - x[None], axis=2), axis=1)
    near, far = np.median(squares[:, 5]), np.median(squares[:, 15])
    distances = pdist(x)
    counts = [(distances <= radius * (1 + 1e-6)).sum() for radius in (near, far)]
    expected = np.log(counts[1] / counts[0]) / np.log(far / near)
    estimate = correlation_dimension(x, nearer=5, farther=15)
    assert estimate.value == pytest.approx(expected, rel=5e-3)
    assert (estimate.n, estimate.dropped) == (300, 0)


GRID = np.stack(np.meshgrid(np.arange(12.0), np.arange(12.0)), axis=-1).reshape(-1, 2)
CLOUDS = {
    "cloud": np.random.default_rng(2).normal(size=(200, 3)),
    "grid": GRID,
    "copies": np.repeat(np.random.default_rng(3).normal(size=(70, 3)), 2, axis=0),
}


@pytest.mark.parametrize("name", CLOUDS)
@pytest.mark.parametrize("k", [20, 60, -1])
def test_a_larger_graph_counts_the_same_pairs(name: str, k: int) -> None:
    x = CLOUDS[name]
    graph = neighbor_graph_of(x, k % len(x))
    radii = np.median(graph.distances[:, [9, 19]], axis=0)
    counts = _pairs_within(x, graph, radii)
    distances = pdist(x)
    assert counts == pytest.approx([(distances <= radius * (1 + 1e-6)).sum() for radius in radii])
    whole = correlation_dimension(VectorsAndNeighbors(x, graph)).value
    assert whole == pytest.approx(correlation_dimension(x).value, rel=1e-9)


def test_the_unit_of_a_grid_changes_nothing() -> None:
    grid = np.stack(np.meshgrid(np.arange(12), np.arange(12)), axis=-1).reshape(-1, 2)
    whole, tenth = (correlation_dimension(grid * step).value for step in (1.0, 0.1))
    assert whole == pytest.approx(tenth)


def test_equal_vectors_have_none_and_radii_have_an_order() -> None:
    assert np.isnan(correlation_dimension(np.zeros((50, 2))).value)
    with pytest.raises(ValueError, match="nearer: expected 1 to 4, under `farther`, found 5"):
        correlation_dimension(np.eye(9), nearer=5, farther=5)


def test_the_first_two_neighbors_are_enough() -> None:
    x = np.array([[0.0], [1], [3], [7]])
    # Distances to the first: 1 1 2 4, to the second: 3 2 3 6; within 1.5 one pair, within 3 three.
    estimate = correlation_dimension(x, nearer=1, farther=2)
    assert estimate.value == pytest.approx(np.log(3) / np.log(2))
    with pytest.raises(ValueError, match="nearer: expected 1 to 1, under `farther`, found 2"):
        correlation_dimension(x, nearer=2, farther=2)
