import numpy as np
import pytest

from embspace.geometry.features.independent_components import (
    independent_components,
    whitened_cloud,
)
from embspace.geometry.features.recurrence import matches
from tests.geometry.features.planted import gaussian_cloud, sparse_cloud


def test_whitened_components_have_variance_one_and_mix_to_the_vectors():
    x = gaussian_cloud() * np.linspace(1, 3, 12)
    cloud = whitened_cloud(x, 12)
    assert np.allclose(cloud.z.T @ cloud.z / len(x), np.eye(12), atol=1e-6)
    assert np.allclose(cloud.z @ cloud.mixing, x - x.mean(axis=0), atol=1e-5)
    assert cloud.variance_share == pytest.approx(1)
    assert 0.5 < whitened_cloud(x, 6).variance_share < 1


def test_sparse_sources_that_are_known_come_back():
    x, directions = sparse_cloud(n_active=1)
    components = independent_components(
        whitened_cloud(x, 8), np.arange(len(x)), max_iter=200, seed=0
    )
    assert matches(components.directions, directions).cosine.min() > 0.95
    assert (np.mean(components.activations**3, axis=0) > 0).all()
    assert np.allclose(components.matched_by @ components.matched_by.T, np.eye(8), atol=1e-6)


def test_a_fit_says_whether_it_converged():
    cloud = whitened_cloud(sparse_cloud(n_active=1)[0], 8)
    rows = np.arange(len(cloud.z))
    long, short = (independent_components(cloud, rows, max_iter=n, seed=0) for n in (200, 2))
    assert long.is_converged
    assert not short.is_converged


def test_no_more_components_than_have_variance():
    x, _ = sparse_cloud(n_features=4)
    flat = np.hstack([x[:, :2], x[:, :2]])
    assert whitened_cloud(flat, 4).z.shape[1] == 2
