import numpy as np
import pytest

from embspace.geometry.features.feature_set import FeatureSet
from embspace.geometry.features.independent_components import (
    independent_components,
    whitened_cloud,
)
from embspace.geometry.features.recurrence import (
    directions_of_covariance,
    largest_random_match,
    matches,
    orthogonal_directions,
    recurrence,
)
from tests.geometry.features.planted import gaussian_cloud, sparse_cloud, unit_directions


def features(directions: np.ndarray, alive: int | None = None) -> FeatureSet:
    activations = np.ones((5, len(directions)))
    activations[:, alive:] = 0 if alive is not None else 1
    return FeatureSet(directions, directions, activations, 1.0)


def test_a_match_finds_the_same_directions_in_another_order_and_sign():
    first = unit_directions(6, 20, np.random.default_rng(0))
    order = np.array([3, 0, 5, 1, 2, 4])
    matched = matches(first, -first[order])
    assert order[matched.second].tolist() == matched.first.tolist()
    assert matched.cosine == pytest.approx(np.ones(6))


def test_equal_features_recur_and_random_ones_do_not():
    rng = np.random.default_rng(1)
    base = unit_directions(10, 40, rng)
    half = np.vstack([base[:5], unit_directions(5, 40, rng)])
    cloud = rng.normal(size=(500, 40))
    directions = directions_of_covariance(cloud)
    threshold = largest_random_match(features(base), directions, n_draws=10, rng=rng)
    made = recurrence([features(base), features(base), features(half)], threshold)
    assert made.shares[0] == 1
    assert made.shares[1:] == pytest.approx([0.5, 0.5], abs=0.15)
    assert (made.first_seed[:5] > 0.99).all()
    assert 0.2 < threshold < 0.8


def test_dead_features_do_not_count():
    base = unit_directions(6, 30, np.random.default_rng(2))
    made = recurrence([features(base, 3), features(base[::-1].copy(), 6)], 0.9)
    assert made.shares.tolist() == [0.5]
    assert np.isnan(made.first_seed[3:]).all()


def shares(x: np.ndarray, n: int) -> np.ndarray:
    cloud = whitened_cloud(x, n)
    seeds = [
        independent_components(cloud, np.arange(seed, len(x), 3), max_iter=200, seed=seed)
        for seed in range(3)
    ]
    rng = np.random.default_rng(0)
    threshold = largest_random_match(seeds[0], orthogonal_directions, n_draws=20, rng=rng)
    return recurrence(seeds, threshold).shares


def test_sparse_sources_recur_between_seeds_and_those_of_a_gaussian_do_less():
    sparse, _ = sparse_cloud(n_features=16, dim=20, n_active=1)
    assert shares(sparse, 16).min() == 1
    wide = gaussian_cloud(n=3000, dim=24)
    assert shares(wide, 24).max() < 0.2


def test_orthogonal_directions_are_orthogonal():
    basis = orthogonal_directions(7, np.random.default_rng(0))
    assert np.allclose(basis @ basis.T, np.eye(7))
