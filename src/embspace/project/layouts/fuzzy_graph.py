"""How strongly UMAP holds neighbours together."""

from typing import Any

import numpy as np
from jaxtyping import Float

from embspace.geometry.pairs.neighbors import NeighborGraph

N_HALVINGS = 64
NARROWEST = 1e-3  # width, over the mean distance of a point from its neighbours


def fuzzy_graph(neighbors: NeighborGraph) -> Any:
    """Weights in [0, 1] of the edges between neighbours, a symmetric sparse (n, n) array.

    McInnes, Healy and Melville (2018), arXiv:1802.03426, section 3.1. A point holds a neighbour at
    distance d by w = exp(-(d - d_1) / s), d_1 being its smallest distance that is not zero, with
    the width s that gives all its neighbours log2(k + 1) together. Of the two weights of an edge,
    w + v - w v remains. Equal to umap-learn's `fuzzy_simplicial_set` but for its rounding; that
    takes 4 s to compile.
    """
    from scipy.sparse import csr_array

    n, k = neighbors.indices.shape
    ends = np.arange(0, n * k + 1, k)
    held = csr_array(
        (_weights(neighbors.distances).ravel(), neighbors.indices.ravel(), ends), shape=(n, n)
    )
    return held + held.T - held * held.T


def _weights(distances: Float[np.ndarray, "n k"]) -> Float[np.ndarray, "n k"]:
    """Of each point on its neighbours. With itself, it counts k + 1 neighbours, as umap does."""
    n_neighbors = distances.shape[1] + 1
    mean = distances.sum(axis=1, keepdims=True) / n_neighbors
    unit = np.divide(distances, mean, where=mean > 0, out=np.zeros_like(distances))
    smallest = np.where(unit > 0, unit, np.inf).min(axis=1, keepdims=True)
    excess = (unit - smallest).clip(min=0)
    return np.exp(-excess / _widths(excess, np.log2(n_neighbors)))


def _widths(excess: Float[np.ndarray, "n k"], total: float) -> Float[np.ndarray, "n 1"]:
    """The s for which exp(-excess / s) has that sum over each row, by bisection."""
    width = np.ones((len(excess), 1))
    low, high = np.zeros_like(width), np.full_like(width, np.inf)
    for _ in range(N_HALVINGS):
        is_wide = np.exp(-excess / width).sum(axis=1, keepdims=True) > total
        low, high = np.where(is_wide, low, width), np.where(is_wide, width, high)
        width = np.where(np.isinf(high), 2 * low, (low + high) / 2)
    return width.clip(min=NARROWEST)
