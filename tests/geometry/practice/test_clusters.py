import numpy as np
import pytest

from embspace.geometry.practice.clusters import adjusted_rand_index, k_means_labels


def blobs(n: int = 90) -> tuple[np.ndarray, np.ndarray]:
    label = np.arange(n) % 3
    return 9 * np.eye(3)[label] + np.random.default_rng(0).normal(size=(n, 3)), label


def test_the_index_of_known_partitions():
    first = np.array([0, 0, 0, 1, 1, 1])
    assert adjusted_rand_index(first, first) == 1
    assert adjusted_rand_index(first, 1 - first) == 1  # numbers are names
    second = np.array([0, 0, 1, 1, 2, 2])
    assert adjusted_rand_index(first, second) == pytest.approx(8 / 33)  # Hubert and Arabie's form
    assert np.isnan(adjusted_rand_index(first * 0, first * 0))


@pytest.mark.parametrize("seed", range(5))
def test_the_index_is_that_of_scikit_learn(seed: int):
    from sklearn.metrics import adjusted_rand_score

    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, 5, 60), rng.integers(0, 4, 60)
    second = np.where(rng.random(60) < 0.5, first, second)
    expected = adjusted_rand_score(first, second)
    assert adjusted_rand_index(first, second) == pytest.approx(expected)


def test_independent_partitions_have_an_index_about_zero():
    rng = np.random.default_rng(0)
    values = [
        adjusted_rand_index(rng.integers(0, 6, 300), rng.integers(0, 6, 300)) for _ in range(50)
    ]
    assert np.mean(values) == pytest.approx(0, abs=0.003)


def test_apart_clusters_are_seen_also_by_some_of_the_vectors():
    x, label = blobs()
    assert adjusted_rand_index(k_means_labels(x, 3, seed=0), label) == 1
    by_half = k_means_labels(x, 3, seed=0, is_fitted=np.arange(90) < 40)
    assert adjusted_rand_index(by_half, label) == 1


def test_equal_vectors_are_one_cluster_without_a_warning():
    assert np.unique(k_means_labels(np.ones((8, 2)), 3, seed=0)).size == 1
