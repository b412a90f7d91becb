import numpy as np

from embspace.geometry.groups.stable_clusters import (
    Clusters,
    Search,
    by_size,
    clusters_of,
)
from embspace.geometry.pairs.neighbor_graph import neighbor_graph_of
from tests.geometry.groups.test_density_clusters import clouds

HOW = Search(smallest=16, n_density=5, n_half_samples=8, share=0.9, jaccard=0.75)


def stable_clusters(x: np.ndarray, *, stops: bool = False, seed: int = 0) -> Clusters:
    graph = neighbor_graph_of(x, 40)
    return clusters_of(graph, HOW, np.random.default_rng(seed), stops=stops)


def test_half_samples_find_planted_clouds_again():
    clusters = stable_clusters(clouds()[0])
    assert clusters.stands(HOW).tolist() == [True] * 3
    assert (clusters.jaccard > 0.9).all()


def test_clusters_that_cannot_stand_end_the_search_and_keep_their_verdict():
    x = np.random.default_rng(3).uniform(size=(240, 2))
    whole, stopped = stable_clusters(x), stable_clusters(x, stops=True)
    assert whole.labels.tolist() == stopped.labels.tolist()
    assert whole.stands(HOW).any() == stopped.stands(HOW).any()
    assert (stopped.matched <= whole.matched).all()


def test_the_largest_cluster_is_the_first():
    assert by_size(np.array([1, 1, 0, -1, 1])).tolist() == [0, 0, 1, -1, 0]
    assert by_size(np.array([-1, -1])).tolist() == [-1, -1]
