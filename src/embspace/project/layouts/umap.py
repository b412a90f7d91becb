"""UMAP from a graph of nearest neighbours, with umap-learn."""

import numpy as np
from jaxtyping import Float
from threadpoolctl import threadpool_limits

from embspace.geometry.neighbors import NeighborGraph
from embspace.project.layouts.fuzzy_graph import fuzzy_graph
from embspace.project.layouts.start import jittered_start


def umap_layout(
    neighbors: NeighborGraph,
    start: Float[np.ndarray, "n 2"],
    *,
    n_neighbors: int,
    min_dist: float,
    n_epochs: int,
    negative_sample_rate: int,
    jitter: float,
    seed: int,
) -> Float[np.ndarray, "n 2"]:
    """A UMAP map: McInnes, Healy and Melville (2018), arXiv:1802.03426.

    One thread, as umap-learn itself does for a given seed: the number of cores changes nothing.

    Args:
        neighbors: At least the `n_neighbors` - 1 nearest of each point, or all others.
        start: Of any scale.
        n_neighbors: Of a point, among which umap counts the point itself; all at most.
        min_dist: How close the map puts points that belong together, in units of the map.
        n_epochs: In each, the strongest edges attract once.
        negative_sample_rate: Points drawn at random to repel, for every attraction.
        jitter: Noise on the start, in standard deviations of its widest axis.
        seed: Of that noise and of the points that repel.

    Raises:
        ValueError: `neighbors` and `start` have different numbers of points, or `neighbors` has
            too few of them.
    """
    from umap.umap_ import find_ab_params, simplicial_set_embedding

    if neighbors.n != len(start):
        raise ValueError(f"expected the same points, found {neighbors.n} and {len(start)} rows")
    nearest = neighbors.first(min(n_neighbors, neighbors.n) - 1)
    random_state = np.random.RandomState(seed)  # the only kind that umap takes
    initial = jittered_start(start, jitter=jitter, seed=seed).astype(np.float32)
    a, b = find_ab_params(spread=1.0, min_dist=min_dist)
    with threadpool_limits(1):
        layout, _ = simplicial_set_embedding(
            initial,  # not read, since there is a start
            fuzzy_graph(nearest).astype(np.float32).tocoo(),
            n_components=2,
            initial_alpha=1.0,
            a=a,
            b=b,
            gamma=1.0,
            negative_sample_rate=negative_sample_rate,
            n_epochs=n_epochs,
            init=initial,
            random_state=random_state,
            metric="euclidean",
            metric_kwds={},
            densmap=False,
            densmap_kwds={},
            output_dens=False,
        )
    return layout
