"""Small clouds, their graphs, and settings for them."""

import numpy as np

from embspace.geometry.maps.pca import principal_components
from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.geometry.pairs.pairs import scan_pairs

TSNE = {
    "perplexity": 30.0,
    "early_exaggeration": 4.0,
    "early_exaggeration_iter": 250,
    "n_iter": 250,
    "jitter": 0.01,
    "seed": 0,
}
UMAP = {
    "n_neighbors": 15,
    "min_dist": 0.1,
    "n_epochs": 200,
    "negative_sample_rate": 5,
    "jitter": 0.01,
    "seed": 0,
}


def gaussian(n: int, dim: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, dim)).astype(np.float32)


def two_blobs() -> np.ndarray:
    """Two clouds of 40 points in 8 dimensions, far apart."""
    return np.vstack([gaussian(40, 8), gaussian(40, 8, seed=1) + 30])


DEGENERATE = {
    "a tiny model's positions": gaussian(30, 16),
    "two points": gaussian(2, 4),
    "five points": gaussian(5, 4),
    "copies": np.tile(gaussian(50, 8), (3, 1)),
    "all the same": np.ones((40, 5), dtype=np.float32),
    "on a line": np.outer(np.arange(60), np.ones(4)).astype(np.float32),
    "constant columns": gaussian(60, 6) * np.array([1, 0, 1, 0, 0, 0], dtype=np.float32),
    "two blobs": two_blobs(),
}


def graph_of(x: np.ndarray, k: int = 90) -> NeighborGraph:
    """The `k` nearest neighbors, or all others."""
    graph = scan_pairs(x, n_neighbors=k).neighbors
    assert graph is not None
    return graph


def start_of(x: np.ndarray) -> np.ndarray:
    return principal_components(x, n_components=2).coordinates
