import numpy as np
import pytest

from embspace.geometry.groups.silhouettes import silhouettes


def test_each_choice_has_the_silhouette_of_its_points_alone():
    from sklearn.metrics import pairwise_distances, silhouette_score

    rng = np.random.default_rng(0)
    x, labels = rng.normal(size=(40, 3)), rng.integers(3, size=40)
    distances = pairwise_distances(x)
    chosen = np.concatenate([np.ones((1, 40), bool), rng.random((5, 40)) < 0.5])
    expected = [
        silhouette_score(distances[np.ix_(some, some)], labels[some], metric="precomputed")
        for some in chosen
    ]
    assert silhouettes(distances, labels, chosen) == pytest.approx(expected)


def test_extremes_and_what_is_not_defined():
    labels = np.array([0, 0, 1, 1])
    apart = np.abs(np.subtract.outer([0.0, 0, 5, 5], [0.0, 0, 5, 5]))
    some = np.array([[1, 1, 1, 1], [1, 0, 1, 0], [1, 1, 0, 0]], dtype=bool)
    values = silhouettes(apart, labels, some)
    assert values[:2].tolist() == [1, 0]  # a single one of a label counts as 0
    assert np.isnan(values[2])
    assert silhouettes(np.zeros((4, 4)), labels, some[:1]).tolist() == [0]
