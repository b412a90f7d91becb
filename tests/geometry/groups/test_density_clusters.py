import numpy as np
import pytest
from sklearn.cluster import HDBSCAN

from embspace.geometry.groups.density_clusters import best_jaccard, density_labels
from embspace.geometry.pairs.neighbor_graph import neighbor_graph_of
from embspace.geometry.practice.clusters import adjusted_rand_index


def clouds(n: int = 60, dim: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Return three tight clouds among scattered points, and the numbers of the clouds."""
    rng = np.random.default_rng(0)
    centers = 6 * np.eye(3, dim)
    tight = np.concatenate([center + 0.3 * rng.normal(size=(n, dim)) for center in centers])
    truth = np.append(np.repeat([0, 1, 2], n), np.full(n, -1))
    return np.concatenate([tight, rng.uniform(-9, 9, size=(n, dim))]), truth


def labels_of(x: np.ndarray, rows: np.ndarray | None = None, k: int = 30) -> np.ndarray:
    rows = np.arange(len(x)) if rows is None else rows
    return density_labels(neighbor_graph_of(x, k), rows, smallest=15, n_density=5)


def test_planted_clouds_are_the_clusters():
    x, truth = clouds()
    assert best_jaccard(truth, labels_of(x), 3) == pytest.approx(np.ones(3), abs=0.1)


def test_a_graph_of_all_neighbors_gives_what_scikit_learn_gives():
    x = np.random.default_rng(1).normal(size=(90, 3)) * [5, 1, 1]
    x[:30] += 9
    own = labels_of(x, k=89)
    other = HDBSCAN(min_cluster_size=15, min_samples=5, copy=True).fit_predict(x)
    assert adjusted_rand_index(own + 1, other + 1) == pytest.approx(1)


def test_a_half_is_clustered_as_if_the_other_did_not_exist():
    x, _ = clouds()
    rows = np.sort(np.random.default_rng(2).permutation(len(x))[: len(x) // 2])
    own = labels_of(x, rows, k=len(x) - 1)
    alone = labels_of(x[rows], k=len(rows) - 1)
    assert adjusted_rand_index(own + 1, alone + 1) == pytest.approx(1)


def test_copies_far_parts_and_few_rows_are_no_error():
    x = np.random.default_rng(4).normal(size=(120, 3))
    x[60:] += 1e3  # no edge joins the parts
    x[:8] = x[8]
    truth = np.repeat([0, 1], 60)
    assert best_jaccard(truth, labels_of(x, k=20), 2) == pytest.approx(np.ones(2), abs=0.2)
    assert set(labels_of(clouds()[0], np.arange(8))) == {-1}


def test_jaccard_is_of_the_best_cluster_and_zero_without_one():
    labels = np.array([0, 0, 0, 0, 1, 1, -1, -1])
    other = np.array([0, 0, 0, 1, 1, 1, 1, -1])
    assert best_jaccard(labels, other, 3).tolist() == [0.75, 0.5, 0]
    assert best_jaccard(labels, np.full(8, -1), 2).tolist() == [0, 0]
