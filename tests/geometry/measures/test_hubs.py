"""Holds measures of neighborhoods to counts by hand and to what is known of chance."""

import numpy as np
import pytest
from scipy.stats import skew
from sklearn.neighbors import kneighbors_graph

from embspace.geometry.measures.hubs import (
    hubness,
    local_densities,
    local_distance_variation,
    reciprocity,
)
from embspace.geometry.pairs.neighbor_graph import neighbor_graph_of
from tests.geometry.clouds import CLOUD


@pytest.mark.parametrize("k", [1, 5, 20])
def test_hubness_and_reciprocity_are_those_of_an_independent_graph(k: int) -> None:
    graph = kneighbors_graph(CLOUD, k).toarray()
    assert hubness(CLOUD, k=k) == pytest.approx(skew(graph.sum(axis=0)))
    assert reciprocity(CLOUD, k=k) == pytest.approx((graph * graph.T).sum() / graph.sum())


def test_hubs_come_with_dimensions() -> None:
    rng = np.random.default_rng(0)
    few, many = (hubness(rng.normal(size=(2000, d))) for d in (3, 100))
    assert abs(few) < 0.5
    assert many > 3


def test_reciprocity_has_both_extremes() -> None:
    pairs = np.array([[0.0], [1.0], [10.0], [11.0]])
    assert reciprocity(pairs, k=1) == 1
    star = np.vstack([np.zeros(5), np.eye(5), -np.eye(5)])
    assert reciprocity(star, k=1) == pytest.approx(2 / 11)
    assert np.isnan(hubness(pairs, k=1))


def test_neighbors_of_equal_vectors_are_arbitrary() -> None:
    x = np.random.default_rng(0).normal(size=(30, 3))
    for function in (hubness, reciprocity):
        assert np.isfinite(function(np.vstack([x, x[:9]]), k=2))
        # Three that are equal: each has two neighbors at no distance.
        assert np.isnan(function(np.vstack([x, x[:1], x[:1]]), k=2))
        assert np.isfinite(function(np.vstack([x, x[:1], x[:1]]), k=3))
        assert np.isnan(function(np.repeat(x[:1], 50, axis=0)))


def test_density_is_the_inverse_of_the_mean_distance() -> None:
    line = np.array([[0.0], [1.0], [3.0], [3.0]])
    assert local_densities(line, k=1).tolist() == [1, 1, np.inf, np.inf]
    assert local_densities(line, k=2) == pytest.approx([1 / 2, 2 / 3, 1, 1])
    assert local_distance_variation(line, k=1) == pytest.approx(1)
    assert np.isnan(local_distance_variation(np.zeros((5, 2)), k=2))


def test_uneven_clouds_vary_more() -> None:
    rng = np.random.default_rng(1)
    even = rng.normal(size=(600, 5))
    uneven = even * np.repeat([0.01, 1.0], 300)[:, None]
    assert local_distance_variation(uneven) > 2 * local_distance_variation(even)


def test_a_graph_is_as_good_as_the_vectors() -> None:
    graph = neighbor_graph_of(CLOUD, 12)
    for measured in (hubness, reciprocity, local_distance_variation):
        assert measured(graph) == measured(CLOUD)
