"""t-SNE by openTSNE, from a graph of nearest neighbors."""

from math import ceil

import numpy as np
from jaxtyping import Float
from threadpoolctl import threadpool_limits

from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.project.layouts.start import jittered_start

START_DEVIATION = 1e-4  # on the widest axis, so narrow that all points attract one another at first


def tsne_layout(
    neighbors: NeighborGraph,
    start: Float[np.ndarray, "n 2"],
    *,
    perplexity: float,
    early_exaggeration: float,
    early_exaggeration_iter: int,
    n_iter: int,
    jitter: float,
    seed: int,
) -> Float[np.ndarray, "n 2"]:
    """Lay points out by t-SNE: van der Maaten and Hinton (2008), JMLR 9.

    openTSNE computes the map; settings have openTSNE's names, and unnamed settings the defaults.
    Only the neighbors and the start are ours. With fewer than 10,000 points, distant groups repel
    as one: van der Maaten (2014), JMLR 15; with more, repulsion is interpolated on a grid:
    Linderman et al. (2019), Nature Methods 16. The learning rate is n / exaggeration: Belkina et
    al. (2019), Nature Communications 10. The start shapes the map at large: Kobak and Linderman
    (2021), Nature Biotechnology 39; principal components are a good start. One thread: the number
    of cores changes nothing.

    Args:
        neighbors: At least the 3 `perplexity` nearest of a point, or all further points. With
            fewer, the perplexity is a third of the number of neighbors.
        start: First positions of the points, on any scale.
        perplexity: Effective number of neighbors of a point.
        early_exaggeration: Factor of all attraction in the first iterations.
        early_exaggeration_iter: Iterations with the factor.
        n_iter: Later iterations, without the factor.
        jitter: Noise on the start, in standard deviations of the widest axis.
        seed: Seed of the noise; nothing else is random.

    Raises:
        ValueError: `neighbors` and `start` have different numbers of points.
    """
    from openTSNE import TSNE
    from openTSNE.affinity import PerplexityBasedNN
    from openTSNE.nearest_neighbors import PrecomputedNeighbors

    if neighbors.n != len(start):
        raise ValueError(f"expected the same points, found {neighbors.n} and {len(start)} rows")
    perplexity = min(perplexity, neighbors.k / 3)
    nearest = neighbors.first(ceil(3 * perplexity))
    tsne = TSNE(
        early_exaggeration=early_exaggeration,
        early_exaggeration_iter=early_exaggeration_iter,
        n_iter=n_iter,
        n_jobs=1,
    )
    initial = START_DEVIATION * jittered_start(start, jitter=jitter, seed=seed)
    with threadpool_limits(1):
        index = PrecomputedNeighbors(nearest.indices, nearest.distances)
        affinities = PerplexityBasedNN(perplexity=perplexity, knn_index=index, n_jobs=1)
        return np.array(tsne.fit(affinities=affinities, initialization=initial))
