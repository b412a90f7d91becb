"""t-SNE from a graph of nearest neighbours, with openTSNE and forces of our own."""

from math import ceil

import numpy as np
from jaxtyping import Float
from threadpoolctl import threadpool_limits

from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.project.layouts.start import jittered_start
from embspace.project.layouts.tsne_forces import tsne_gradient

START_DEVIATION = 1e-4  # on the widest axis, so narrow that all points attract one another at first


def tsne_layout(
    neighbors: NeighborGraph,
    start: Float[np.ndarray, "n 2"],
    *,
    perplexity: float,
    early_exaggeration: float,
    n_early_iterations: int,
    n_iterations: int,
    jitter: float,
    seed: int,
) -> Float[np.ndarray, "n 2"]:
    """A t-SNE map: van der Maaten and Hinton (2008), JMLR 9.

    The forces are those of `tsne_gradient`: exact for up to 4,000 points, for more on a grid. The
    start shapes the map at large: Kobak and Linderman (2021), Nature Biotechnology 39; principal
    components are a good one. The learning rate is n / exaggeration: Belkina et al. (2019), Nature
    Communications 10. One thread: the number of cores changes nothing.

    Args:
        neighbors: At least the 3 `perplexity` nearest of each point, or all others. Where it has
            fewer, the perplexity is a third of their number.
        start: Of any scale.
        perplexity: Effective number of neighbours that a point attends to.
        early_exaggeration: Factor of all attraction in the first iterations.
        n_early_iterations: With that factor.
        n_iterations: After them, without.
        jitter: Noise on the start, in standard deviations of its widest axis.
        seed: Of that noise alone.

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
    optimizer = TSNE(
        early_exaggeration=early_exaggeration,
        early_exaggeration_iter=n_early_iterations,
        n_iter=n_iterations,
        learning_rate="auto",
        negative_gradient_method=tsne_gradient,
        n_jobs=1,
    )
    initial = START_DEVIATION * jittered_start(start, jitter=jitter, seed=seed)
    with threadpool_limits(1):
        index = PrecomputedNeighbors(nearest.indices, nearest.distances)
        affinities = PerplexityBasedNN(perplexity=perplexity, knn_index=index, n_jobs=1)
        return np.array(optimizer.fit(affinities=affinities, initialization=initial))
