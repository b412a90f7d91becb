"""The neighbor graph of some rows of a cloud, from the graph of all rows."""

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.pairs.directions import norms
from embspace.geometry.pairs.neighbor_graph import ROUNDING
from embspace.geometry.pairs.neighbors import NeighborGraph


def graph_among(
    graph: NeighborGraph, x: Float[np.ndarray, "n dim"], rows: Int[np.ndarray, " row"], k: int
) -> NeighborGraph:
    """The `k` nearest neighbors of `rows` among `rows`, numbered by place in `rows`.

    `rows` ascend, and `graph` is the graph of `x`. A row's nearest neighbors in the whole cloud
    that lie in `rows` are the nearest in `rows`; a row with too few is compared with all `rows`. A
    graph with a few times `k` neighbors thus gives the graphs of many halves cheaply.

    Raises:
        ValueError: `k` under 1 or over the number of further rows.
    """
    if not 1 <= k < len(rows):
        raise ValueError(f"k: expected 1 to {len(rows) - 1}, the other rows, found {k}")
    place = np.full(graph.n, -1)
    place[rows] = np.arange(len(rows))
    places = place[graph.indices[rows]]
    order = np.argsort(places < 0, axis=1, kind="stable")[:, :k]
    indices = np.take_along_axis(places, order, axis=1)
    distances = np.take_along_axis(graph.distances[rows], order, axis=1)
    if indices.shape[1] < k:  # the graph itself has fewer
        missing = np.full((len(rows), k - indices.shape[1]), -1)
        indices, distances = np.hstack([indices, missing]), np.hstack([distances, missing * 1.0])
    lacking = np.flatnonzero((indices < 0).any(axis=1))
    indices = indices.astype(np.int32)
    if len(lacking):
        from embspace.geometry.pairs.scan._neighbor_loops import settle_all

        # Centered as those of the graph were, so that a pair has one distance.
        vectors = np.ascontiguousarray(x[rows] - x.mean(axis=0), np.float64)
        settle_all(vectors, lacking, indices, distances)
        reach = ROUNDING * norms(x[rows[lacking]])[:, np.newaxis]
        distances[lacking] = np.where(distances[lacking] <= reach, 0.0, distances[lacking])
    return NeighborGraph(indices, distances)
