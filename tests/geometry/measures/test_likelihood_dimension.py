"""Holds dimensions by likelihood to scikit-dimension and to known clouds."""

import numpy as np
import pytest
import skdim

from embspace.geometry.measures.likelihood_dimension import (
    local_dimensions,
    mean_local_dimension,
    mle_dimension,
)
from embspace.geometry.measures.two_nearest import two_nn_maximum_likelihood
from embspace.geometry.pairs.neighbor_graph import neighbor_graph_of


def cloud(d: int, n: int = 800) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, d))


@pytest.mark.parametrize("d", [2, 6])
@pytest.mark.parametrize("k", [5, 20])
def test_both_averages_are_those_of_scikit_dimension(d: int, k: int) -> None:
    x = cloud(d)
    plain, unbiased = (
        skdim.id.MLE(K=k, unbiased=unbiased).fit_transform_pw(x, n_neighbors=k)
        for unbiased in (False, True)
    )
    assert local_dimensions(x, k=k) == pytest.approx(unbiased, rel=1e-4)
    assert mean_local_dimension(x, k=k).value == pytest.approx(unbiased.mean(), rel=1e-4)
    assert mle_dimension(x, k=k).value == pytest.approx(1 / np.mean(1 / plain), rel=1e-4)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_few_dimensions_are_found(d: int) -> None:
    x = np.random.default_rng(1).uniform(size=(4000, d))
    assert mle_dimension(x).value == pytest.approx(d, rel=0.07)
    assert mean_local_dimension(x).value == pytest.approx(d, rel=0.07)


def test_averaging_dimensions_gives_more_than_averaging_their_inverses() -> None:
    mixed = np.concatenate([cloud(8), np.column_stack([cloud(1), np.zeros((800, 7))]) + 9])
    assert mean_local_dimension(mixed).value > 1.5 * mle_dimension(mixed).value
    local = local_dimensions(mixed)
    assert np.median(local[:800]) == pytest.approx(7, abs=1.5)
    assert np.nanmedian(local[800:]) == pytest.approx(1, abs=0.2)


def test_equal_vectors_are_dropped_and_a_graph_will_do() -> None:
    x = cloud(3)
    doubled = np.concatenate([x, x[:10]])
    assert mle_dimension(doubled, k=5).dropped == 20
    assert mean_local_dimension(doubled, k=5).n == 790
    graph = neighbor_graph_of(x, 30)
    assert mle_dimension(graph, k=10).value == mle_dimension(x, k=10).value


def test_too_few_neighbors_are_refused() -> None:
    with pytest.raises(ValueError, match="k: expected at least 3 neighbors, found 2"):
        mle_dimension(cloud(2), k=2)
    assert np.isnan(mle_dimension(np.zeros((10, 2)), k=3).value)
    assert two_nn_maximum_likelihood(cloud(2)).value > 0  # what two neighbors are for


def test_three_neighbors_are_enough() -> None:
    x = np.array([[0.0], [1], [3], [7]])
    for measure in (mle_dimension, mean_local_dimension):
        assert measure(x, k=3).value > 0
        with pytest.raises(ValueError, match="k: expected at least 3 neighbors, found 2"):
            measure(x, k=2)
