"""UMAP by umap-learn, from a graph of nearest neighbors."""

import warnings

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.pairs.neighbors import NeighborGraph
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
    learning_rate: float = 1.0,
) -> Float[np.ndarray, "n 2"]:
    """Lay points out by UMAP: McInnes, Healy and Melville (2018), arXiv:1802.03426.

    umap-learn computes the map; settings have umap-learn's names, and unnamed settings the
    defaults. Only the neighbors and the start are ours. One thread: the number of cores changes
    nothing.

    Args:
        neighbors: At least the `n_neighbors` - 1 nearest of a point, or all further points.
        start: First positions of the points, on any scale.
        n_neighbors: Neighbors of a point, the point included, as umap-learn counts; all at most.
        min_dist: Distance on the map between points that belong together, at most 1.
        n_epochs: Passes over the graph; the strongest edges attract once a pass.
        negative_sample_rate: Points drawn at random to repel, for every attraction.
        jitter: Noise on the start, in standard deviations of the widest axis. umap-learn divides by
            the width of the start: a flat start needs noise.
        seed: Seed of the noise and of the repelling points.
        learning_rate: Share of a force that moves a point; 1 is umap-learn's. From a good start,
            smaller steps move fewer points than necessary, and keep more neighbors.

    Raises:
        ValueError: `neighbors` and `start` have different numbers of points, a point has too few
            neighbors, or umap-learn refuses a setting.
    """
    from umap import UMAP

    if neighbors.n != len(start):
        raise ValueError(f"expected the same points, found {neighbors.n} and {len(start)} rows")
    _cache_compiled_functions()
    nearest = neighbors.first(min(n_neighbors, neighbors.n) - 1)
    umap = UMAP(
        n_neighbors=nearest.k + 1,
        min_dist=min_dist,
        n_epochs=n_epochs,
        negative_sample_rate=negative_sample_rate,
        learning_rate=learning_rate,
        init=jittered_start(start, jitter=jitter, seed=seed),
        precomputed_knn=_with_self(nearest),
        random_state=seed,
        n_jobs=1,
    )
    with warnings.catch_warnings():
        # Without an index of its own it cannot place new points; all points may be neighbors.
        warnings.filterwarnings("ignore", "precomputed_knn", UserWarning)
        warnings.filterwarnings("ignore", "n_neighbors is larger", UserWarning)
        return umap.fit_transform(start)  # which stands for the vectors: only its length is read


def _with_self(
    nearest: NeighborGraph,
) -> tuple[Int[np.ndarray, "n self_and_k"], Float[np.ndarray, "n self_and_k"]]:
    """Return indices and distances for umap-learn: every point is its own nearest."""
    own = np.arange(nearest.n, dtype=nearest.indices.dtype)
    return (
        np.column_stack([own, nearest.indices]),
        np.column_stack([np.zeros(nearest.n), nearest.distances]).astype(np.float32),
    )


def _cache_compiled_functions() -> None:
    """Let numba keep two functions on disk: compiling them would take every process 4 s."""
    from umap import umap_

    umap_.smooth_knn_dist.enable_caching()
    umap_.compute_membership_strengths.enable_caching()
