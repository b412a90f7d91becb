"""UMAP from a graph of nearest neighbours."""

import numpy as np
from jaxtyping import Float

from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.project.layouts.fuzzy_graph import fuzzy_graph
from embspace.project.layouts.start import jittered_start

START_EXTENT = 10.0  # of both axes, as in umap-learn
LEAST_SQUARED_DISTANCE = 1e-3  # added, that nobody is pushed to infinity
FARTHEST_FITTED = 3.0  # distance up to which the curve of similarity is fitted


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
    """A UMAP map: McInnes, Healy and Melville (2018), arXiv:1802.03426, algorithm 5.

    What umap-learn does for a given seed, with random numbers of our own. One thread: the number of
    cores changes nothing.

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
    from embspace.project.layouts._umap_loops import lay_out

    if neighbors.n != len(start):
        raise ValueError(f"expected the same points, found {neighbors.n} and {len(start)} rows")
    edges = fuzzy_graph(neighbors.first(min(n_neighbors, neighbors.n) - 1)).tocoo()
    strongest = edges.data.max()
    is_used = edges.data >= strongest / n_epochs  # of the others, none would attract once
    heads, tails = (ends[is_used].astype(np.int32) for ends in edges.coords)
    initial = jittered_start(start, jitter=jitter, seed=seed)
    extent = np.ptp(initial, axis=0)
    extent[extent == 0] = 1.0
    layout = (START_EXTENT * (initial - initial.min(axis=0)) / extent).astype(np.float32)
    lay_out(
        layout,
        heads,
        tails,
        strongest / edges.data[is_used],
        negative_sample_rate,
        n_epochs,
        *_strengths(*similarity_curve(min_dist)),
        np.random.SeedSequence(seed).generate_state(1, np.uint64) | np.uint64(1),
    )
    return layout


def similarity_curve(min_dist: float) -> tuple[float, float]:
    """The a and b for which 1 / (1 + a d^2b) is nearest to the similarity that the map is to show.

    That is 1 up to `min_dist` and then falls off as exp(min_dist - d): section 4.1.
    """
    from scipy.optimize import curve_fit

    distance = np.linspace(0, FARTHEST_FITTED, 300)
    similarity = np.exp(-(distance - min_dist).clip(min=0))
    (a, b), _ = curve_fit(lambda d, a, b: 1 / (1 + a * d ** (2 * b)), distance, similarity)
    return float(a), float(b)


def _strengths(a: float, b: float) -> tuple[Float[np.ndarray, " node"], Float[np.ndarray, " node"]]:
    """Of attraction and repulsion, over the difference of two points, by squared distance.

    Of the similarity s = 1 / (1 + a d^2b) they are the gradient of -log s and, but for the distance
    that is added, that of log(1 - s).
    """
    from embspace.project.layouts._umap_loops import table_nodes

    squared = table_nodes()
    pull = 2 * a * b * squared ** (b - 1) / (1 + a * squared**b)
    push = 2 * b / ((LEAST_SQUARED_DISTANCE + squared) * (1 + a * squared**b))
    return pull.astype(np.float32), push.astype(np.float32)
