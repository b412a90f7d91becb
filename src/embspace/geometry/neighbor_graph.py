"""The neighbour graph that measures of neighbours take, from vectors or as it is."""

import numpy as np
from jaxtyping import Float

from embspace.geometry.neighbors import NeighborGraph

Cloud = Float[np.ndarray, "n dim"] | NeighborGraph


def neighbor_graph_of(x: Cloud, k: int) -> NeighborGraph:
    """The `k` nearest neighbours of each row of `x`; of a graph that has more, the nearest `k`.

    A graph that was computed once serves all measures. Distances are those of the vectors in
    float32.

    Raises:
        ValueError: `k` under 1, or more than there are other vectors or than the graph has.
    """
    if isinstance(x, NeighborGraph):
        return x.first(k)
    from embspace.geometry.pairs import scan_pairs

    if not 1 <= k < len(x):
        raise ValueError(f"k: expected 1 to {len(x) - 1}, the other vectors, found {k}")
    graph = scan_pairs(x, n_neighbors=k).neighbors
    assert graph is not None  # it was asked for
    return graph
