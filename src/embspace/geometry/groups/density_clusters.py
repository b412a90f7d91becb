"""Clusters by density from a graph of neighbors, and how alike two clusterings are."""

from typing import Any

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.pairs.neighbors import NeighborGraph

NOISE = -1


def density_labels(
    graph: NeighborGraph, rows: Int[np.ndarray, " row"], *, smallest: int, n_density: int
) -> Int[np.ndarray, " row"]:
    """Return the cluster of some rows of a graph, -1 for none: HDBSCAN of these rows alone.

    Campello, Moulavi and Sander (2013), as in scikit-learn, on the edges of the graph between the
    rows. Parts that no edge joins stand apart by the length of the longest edge.

    Args:
        graph: It needs several times `n_density` neighbors, and more if rows are left out.
        rows: Ascending.
        smallest: Rows of the smallest cluster, at least 2.
        n_density: The density at a row is read from the distance of its neighbor of this rank.

    Returns:
        Numbers from 0 on, in no order. All -1 if too few rows have `n_density` neighbors.
    """
    from sklearn.cluster import HDBSCAN

    labels = np.full(len(rows), NOISE)
    edges = _edges_between(graph, rows)
    # A row with few neighbors among the rows has no density to be read.
    dense = np.flatnonzero(np.diff(edges.indptr) >= n_density)
    if len(dense) < max(smallest, 2 * n_density):
        return labels
    edges = _joined(edges[dense][:, dense])
    model = HDBSCAN(
        min_cluster_size=smallest, min_samples=n_density, metric="precomputed", copy=False
    )
    labels[dense] = model.fit_predict(edges)
    return labels


def _edges_between(graph: NeighborGraph, rows: Int[np.ndarray, " row"]) -> Any:
    """Return the distances between the rows, symmetric and sparse."""
    from scipy.sparse import csr_matrix

    place = np.full(graph.n, -1)
    place[rows] = np.arange(len(rows))
    columns = place[graph.indices[rows]]
    kept = columns >= 0
    starts = np.append(0, kept.sum(axis=1).cumsum())
    # Zero would be no edge: equal vectors are as near as the smallest number allows.
    distances = np.maximum(graph.distances[rows][kept], np.finfo(np.float64).tiny)
    edges = csr_matrix((distances, columns[kept], starts), shape=(len(rows), len(rows)))
    return edges.maximum(edges.T).tocsr()


def _joined(edges: Any) -> Any:
    """Return the edges, with one of the greatest length added to every separate part."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    n_parts, labels = connected_components(edges, directed=False)
    if n_parts == 1:
        return edges
    first = np.unique(labels, return_index=True)[1]
    lengths = np.full(n_parts - 1, edges.max())
    further = csr_matrix((lengths, (np.full(n_parts - 1, first[0]), first[1:])), shape=edges.shape)
    return edges.maximum(further).maximum(further.T).tocsr()


def best_jaccard(
    labels: Int[np.ndarray, " n"], other: Int[np.ndarray, " n"], n_clusters: int
) -> Float[np.ndarray, " cluster"]:
    """Return, for each cluster of `labels`, the largest Jaccard index with a cluster of `other`.

    In [0, 1] (Jaccard 1912); clusters are numbered from 0, and -1 is no cluster. `n_clusters` may
    be more than `labels` has: a cluster without rows has 0.
    """
    n, n_other = n_clusters, int(other.max(initial=NOISE)) + 1
    if not n_other:
        return np.zeros(n)
    both = (labels >= 0) & (other >= 0)
    shared = np.zeros((n, n_other))
    np.add.at(shared, (labels[both], other[both]), 1)
    sizes = np.bincount(labels[labels >= 0], minlength=n)
    other_sizes = np.bincount(other[other >= 0], minlength=n_other)
    union = sizes[:, np.newaxis] + other_sizes - shared
    best: Float[np.ndarray, " cluster"] = (shared / np.maximum(union, 1)).max(axis=1)
    return best
