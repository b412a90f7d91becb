"""Settings of the maps, small enough for tests, and graphs for them."""

from collections.abc import Mapping

from embspace.clouds.learned import LearnedCloud
from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.geometry.pairs.pairs import scan_pairs

COMMON = {"quality_n_neighbors": 5, "n_shuffles": 10, "seed": 0}
SEEDS = {"n_seeds": 2, "n_seed_points": 100, "parts_gap": 5.0, "smallest_part": 0.05}
PCA = {**COMMON, "n_components": 3}
TSNE = {
    **COMMON,
    **SEEDS,
    "perplexity": 5.0,
    "early_exaggeration": 12.0,
    "early_exaggeration_iter": 30,
    "n_iter": 60,
    "jitter": 0.01,
}
UMAP = {
    **COMMON,
    **SEEDS,
    "n_neighbors": 6,
    "min_dist": 0.1,
    "n_epochs": 30,
    "negative_sample_rate": 5,
    "jitter": 0.01,
}


def graphs_of(clouds: Mapping[str, LearnedCloud], k: int = 60) -> dict[str, NeighborGraph]:
    """Exact neighbors of each cloud, at most all others."""
    graphs = {}
    for name, cloud in clouds.items():
        graph = scan_pairs(cloud.vectors, n_neighbors=k).neighbors
        assert graph is not None
        graphs[name] = graph
    return graphs
