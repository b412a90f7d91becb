"""Holds ABIDE to DADApy's own test values, to its definition, and to planted densities."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.spatial.distance import cdist
from scipy.stats import chi2

from embspace.geometry.measures.neighborhoods.adaptive_scale import abide, neighborhood_sizes
from embspace.geometry.pairs.neighbors import NeighborGraph
from tests.geometry.dadapy_reference import CLOUDS, N_OF_VIEWS, VIEWS, kept

LEVEL = 1e-6


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def graph_of(x: np.ndarray, k: int | None = None) -> NeighborGraph:
    distances = cdist(x, x)
    np.fill_diagonal(distances, -1)
    order = np.argsort(distances, axis=1, kind="stable")[:, 1 : len(x) if k is None else k + 1]
    return NeighborGraph(order, np.take_along_axis(distances, order, axis=1))


@pytest.fixture(scope="module")
def dadapy_graph() -> NeighborGraph:
    """The graph of the 1,000 points of the plane that DADApy's test draws, with all neighbors."""
    return graph_of(np.random.RandomState(0).normal(0, 1, size=(1000, 2)))


@pytest.mark.parametrize(("n_iterations", "expected"), [(1, 2.01), (2, 1.95), (3, 1.95)])
def test_dadapys_test_of_it_finds_the_same(
    dadapy_graph: NeighborGraph, n_iterations: int, expected: float
) -> None:
    estimate = abide(dadapy_graph, start=5.0, n_iterations=n_iterations, max_k=999)
    assert estimate.value == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("name", VIEWS)
def test_dadapy_finds_the_same_of_other_clouds(name: str) -> None:
    graph = graph_of(CLOUDS[name]()[:N_OF_VIEWS], 100)
    for number, expected in enumerate(kept()[name]["abide"]):
        estimate = abide(graph, start=5.0, n_iterations=number + 1)
        assert [estimate.value, estimate.standard_error] == pytest.approx(expected, rel=1e-8)


def test_dadapys_test_of_gride_finds_the_same_in_these_neighborhoods(
    dadapy_graph: NeighborGraph,
) -> None:
    """Sizes are right: made even, their halves give the dimensions and likelihoods of its test."""
    value, rows = 5.0, np.arange(1000)
    for expected, log_likelihood in [(2.02, 668.1), (1.93, 1153.89), (1.93, 1170.77)]:
        sizes = neighborhood_sizes(dadapy_graph, value, level=LEVEL)
        half = (sizes + 1) // 2
        distances = dadapy_graph.distances
        mu = distances[rows, 2 * half - 1] / distances[rows, half - 1]
        best = minimize_scalar(lambda d, m=mu, h=half: -likelihood(d, m, h), bounds=(0.5, 8))
        value = float(best.x)
        assert value == pytest.approx(expected, abs=0.01)
        assert likelihood(value, mu, half) == pytest.approx(log_likelihood, abs=0.01)


def likelihood(d: float, mu: np.ndarray, k: np.ndarray) -> float:
    """Gride's, of ratios of the 2k-th to the k-th distance, less one ratio as in DADApy."""
    from scipy.special import beta

    density = (k - 1) * np.log(mu**d - 1) - ((2 * k - 1) * d + 1) * np.log(mu) - np.log(beta(k, k))
    return float((len(mu) - 1) * np.log(d) + density.sum())


def test_sizes_are_what_the_test_of_two_volumes_says() -> None:
    x = rng().normal(size=(60, 3)) * rng(1).exponential(size=(60, 1))
    graph, d, threshold = graph_of(x, 40), 2.5, chi2.isf(LEVEL * 1e4, 1)
    sizes = neighborhood_sizes(graph, d, level=LEVEL * 1e4)
    for i in range(60):
        k = 3
        while k < 39:
            own, other = (graph.distances[j, k - 1] ** d for j in (i, graph.indices[i, k]))
            if -2 * k * np.log(4 * own * other / (own + other) ** 2) > threshold:
                break
            k += 1
        assert sizes[i] == k
    assert 3 <= sizes.min() < sizes.max() <= 39


def test_where_the_density_is_even_neighborhoods_are_as_large_as_they_may() -> None:
    """A grid that has no edge: all neighborhoods are alike."""
    angle = 2 * np.pi * np.arange(200) / 200
    graph = graph_of(np.column_stack([np.cos(angle), np.sin(angle)]), 50)
    assert (neighborhood_sizes(graph, 1.0, level=LEVEL) == 49).all()


def test_a_neighborhood_ends_where_the_density_does() -> None:
    """Planted: 50 vectors close together among 450 that are far."""
    dense, thin = 0.01 * rng().normal(size=(50, 2)), rng(1).uniform(-5, 5, size=(450, 2))
    sizes = neighborhood_sizes(graph_of(np.concatenate([dense, thin + 20]), 400), 2.0, level=LEVEL)
    assert sizes[:50].max() <= 60
    assert np.median(sizes[50:]) > 100
    stricter = neighborhood_sizes(graph_of(dense, 40), 2.0, level=0.05)
    assert (stricter <= neighborhood_sizes(graph_of(dense, 40), 2.0, level=LEVEL)).all()


@pytest.mark.parametrize(("d", "fewest"), [(1, 0.9), (2, 1.8), (4, 3.0)])
def test_the_dimension_of_a_cube_is_found_from_any_start(d: int, fewest: float) -> None:
    graph = graph_of(rng(d).uniform(size=(1000, d)), 100)
    estimate = abide(graph)
    assert fewest < estimate.value < 1.1 * d  # edges make it too small, more so in many dimensions
    for start in (0.5, 12.0):
        assert abide(graph, start=start).value == pytest.approx(estimate.value, rel=0.02)
    assert 0 < estimate.standard_error < 0.05 * d
    assert (estimate.n, estimate.dropped) == (1000, 0)


def test_noise_is_averaged_over_where_the_density_is_even() -> None:
    """Planted: a plane with noise in four more coordinates, which TwoNN takes for dimensions."""
    plane = np.hstack([rng().uniform(size=(1500, 2)), np.zeros((1500, 4))])
    noisy = graph_of(plane + 0.006 * rng(1).normal(size=plane.shape), 200)
    first = abide(noisy, n_iterations=1, start=6.0)
    assert abide(noisy).value == pytest.approx(2, abs=0.25)
    assert abide(noisy, n_iterations=8).value == pytest.approx(abide(noisy).value, rel=0.02)
    assert first.n == 1500


def test_equal_vectors_are_dropped() -> None:
    x = np.concatenate([rng().uniform(size=(200, 2)), np.full((60, 2), 0.5)])
    estimate = abide(graph_of(x, 40))
    assert estimate.dropped == 60 and estimate.n == 200
    assert np.isnan(abide(graph_of(np.ones((20, 2)), 10), start=2.0).value)


def test_vectors_are_as_good_as_their_graph_and_few_have_few_neighbors() -> None:
    x = rng().uniform(size=(150, 3))
    assert abide(x).value == pytest.approx(abide(graph_of(x, 100)).value, rel=1e-3)
    assert abide(x[:50]).value == pytest.approx(abide(graph_of(x[:50])).value, rel=1e-3)


def test_a_graph_of_more_neighbors_changes_nothing() -> None:
    x = rng().normal(size=(150, 3))
    assert abide(graph_of(x), max_k=20) == abide(graph_of(x, 20))
    assert abide(graph_of(x)) == abide(graph_of(x, 100))


def test_in_many_dimensions_the_smaller_ball_has_the_radius_of_the_cap() -> None:
    graph = graph_of(rng().normal(size=(200, 80)), 20)
    sizes = neighborhood_sizes(graph, 300.0, level=LEVEL)  # 0.2032^(1/300) is over 0.975
    radius = graph.distances[np.arange(200), sizes - 1]
    inside = (graph.distances < 0.975 * radius[:, None]).sum()
    dimension = abide(graph, start=300.0, n_iterations=1).value
    assert dimension == pytest.approx(np.log(inside / (sizes - 1).sum()) / np.log(0.975))


def test_what_it_cannot_take_is_refused() -> None:
    x = rng().uniform(size=(30, 2))
    with pytest.raises(ValueError, match="max_k: expected at least 5 neighbors, found 4"):
        abide(x, max_k=4)
    with pytest.raises(ValueError, match="n_iterations: expected at least 1, found 0"):
        abide(x, n_iterations=0)
    for start in (0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="start: expected a positive number, found"):
            abide(x, start=start)
    with pytest.raises(ValueError, match=r"level: expected a share between 0 and 1, found 0\.0"):
        abide(x, level=0.0)


def test_five_neighbors_and_one_iteration_are_enough() -> None:
    x = np.random.default_rng(0).normal(size=(6, 2))
    assert abide(x, n_iterations=1).n == 6
    assert abide(x, n_iterations=1, start=1e-3).n == 6
    with pytest.raises(ValueError, match="at least 5 neighbors, found 4"):
        abide(x[:5])
    with pytest.raises(ValueError, match="start: expected a positive number, found 0"):
        abide(x, start=0)
