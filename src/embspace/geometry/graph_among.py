"""The neighbour graph of some rows of a cloud, from that of all of them."""

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.neighbors import NeighborGraph


def graph_among(
    graph: NeighborGraph,
    x: Float[np.ndarray, "n dim"],
    rows: Int[np.ndarray, " row"],
    k: int,
) -> NeighborGraph:
    """The `k` nearest neighbours of each of `rows` among `rows`, numbered by their place there.

    `graph` is that of `x`. A row's nearest in the whole cloud that are among `rows` are its nearest
    there; where too few of them are, its distances to all `rows` are computed anew. So a graph with
    a few times `k` neighbours gives those of many halves for little.

    Raises:
        ValueError: `k` under 1, or more than there are other rows.
    """
    if not 1 <= k < len(rows):
        raise ValueError(f"k: expected 1 to {len(rows) - 1}, the other rows, found {k}")
    place = np.full(graph.n, -1)
    place[rows] = np.arange(len(rows))
    found = place[graph.indices[rows]]
    order = np.argsort(found < 0, axis=1, kind="stable")[:, :k]
    indices = np.take_along_axis(found, order, axis=1)
    distances = np.take_along_axis(graph.distances[rows], order, axis=1)
    if indices.shape[1] < k:  # the graph itself has fewer
        missing = np.full((len(rows), k - indices.shape[1]), -1)
        indices, distances = np.hstack([indices, missing]), np.hstack([distances, missing * 1.0])
    lacking = np.flatnonzero((indices < 0).any(axis=1))
    if len(lacking):
        indices[lacking], distances[lacking] = _nearest(x[rows], lacking, k)
    return NeighborGraph(indices.astype(np.int32), distances)


def _nearest(
    x: Float[np.ndarray, "row dim"], of: Int[np.ndarray, " lacking"], k: int
) -> tuple[Int[np.ndarray, "lacking k"], Float[np.ndarray, "lacking k"]]:
    """The `k` nearest among `x` of those of its rows, by all distances."""
    x = (x - x.mean(axis=0)).astype(np.float32).astype(np.float64)
    squared = np.einsum("ij,ij->i", x, x)
    distances = squared[of, None] + squared - 2 * x[of] @ x.T
    distances[np.arange(len(of)), of] = np.inf
    candidates = np.argpartition(distances, k - 1, axis=1)[:, :k]
    # From differences, for squares that nearly cancel leave no digit.
    exact = np.stack(
        [np.linalg.norm(x[c] - x[i], axis=1) for i, c in zip(of, candidates, strict=True)]
    )
    order = np.argsort(exact, axis=1, kind="stable")
    return (
        np.take_along_axis(candidates, order, axis=1),
        np.take_along_axis(exact, order, axis=1),
    )
