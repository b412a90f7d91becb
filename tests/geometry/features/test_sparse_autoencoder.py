import numpy as np

from embspace.geometry.features.recurrence import matches
from embspace.geometry.features.sparse_autoencoder import Training, sparse_autoencoder
from tests.geometry.features.planted import gaussian_cloud, sparse_cloud

HOW = Training(n_features=16, n_active=2, n_epochs=20, batch_size=100, learning_rate=0.01)


def test_planted_directions_come_back_and_hold_most_of_the_variance():
    x, directions = sparse_cloud(n_features=16, dim=12)
    features = sparse_autoencoder(x, np.arange(2000), HOW._replace(n_features=32), seed=0)
    cosines = matches(directions, features.directions).cosine
    assert (cosines > 0.9).mean() > 0.7
    assert features.variance_share > 0.8


def test_no_vector_lights_more_features_than_allowed():
    features = sparse_autoencoder(gaussian_cloud(n=400), np.arange(300), HOW, seed=0)
    assert (features.activations != 0).sum(axis=1).max() <= 2
    assert features.activations.min() >= 0


def test_the_seed_alone_decides():
    x = gaussian_cloud(n=300)
    first, again, other = (
        sparse_autoencoder(x, np.arange(300), HOW, seed=seed) for seed in (0, 0, 1)
    )
    assert (first.directions == again.directions).all()
    assert (first.directions != other.directions).any()
