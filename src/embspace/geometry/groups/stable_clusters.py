"""Finds clusters of a cloud, again in half-samples of the vectors, and in Gaussian clouds."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.groups.density_clusters import best_jaccard, density_labels
from embspace.geometry.inference.null_clouds import Draw
from embspace.geometry.pairs.directions import unit_rows
from embspace.geometry.pairs.neighbor_graph import neighbor_graph_of
from embspace.geometry.pairs.neighbors import NeighborGraph


class Search(NamedTuple):
    """Settings of the search for clusters, and of the rule by which a cluster stands."""

    smallest: int
    """Fewest vectors of a cluster of the whole cloud; half as many in a half."""
    n_density: int
    n_half_samples: int
    share: float
    """A cluster stands if it is matched in at least this share of the half-samples."""
    jaccard: float
    """A cluster of a half is a match above this Jaccard index."""


class Clusters(NamedTuple):
    """Clusters of a cloud, the largest first, and their matches in half-samples."""

    labels: Int[np.ndarray, " n"]
    """From 0; -1 is no cluster."""
    matched: Float[np.ndarray, " cluster"]
    """Share of half-samples with a match."""
    jaccard: Float[np.ndarray, " cluster"]
    """Mean over half-samples."""

    def stands(self, how: Search) -> np.ndarray:
        """Return, for every cluster, whether it stands."""
        return self.matched >= how.share


def clusters_of(
    graph: NeighborGraph, how: Search, rng: np.random.Generator, *, stops: bool = False
) -> Clusters:
    """Return the clusters of a graph's vectors, with their stability over half-samples.

    With `stops`, half-samples end as soon as no cluster can stand: shares are then of all
    half-samples all the same, and lower bounds.
    """
    labels = by_size(
        density_labels(graph, np.arange(graph.n), smallest=how.smallest, n_density=how.n_density)
    )
    n_clusters = int(labels.max(initial=-1)) + 1
    matched, total = np.zeros(n_clusters), np.zeros(n_clusters)
    halves = rng.spawn(how.n_half_samples) if n_clusters else []
    for number, stream in enumerate(halves, start=1):
        rows = np.sort(stream.permutation(graph.n)[: graph.n // 2])
        other = density_labels(
            graph, rows, smallest=max(2, how.smallest // 2), n_density=how.n_density
        )
        jaccard = best_jaccard(labels[rows], other, n_clusters)
        matched += jaccard > how.jaccard
        total += jaccard
        left = how.n_half_samples - number
        if stops and (matched + left < how.share * how.n_half_samples).all():
            break
    return Clusters(labels, matched / how.n_half_samples, total / how.n_half_samples)


def clusters_of_draws(
    draw: Draw,
    n_neighbors: int,
    searches: Sequence[Search],
    n_clouds: int,
    rng: np.random.Generator,
    *,
    on_sphere: bool,
) -> list[dict[str, Any]]:
    """Return, by search, how many clusters null clouds have, and how many of them stand.

    Columns `n_parts`, mean over clouds; `largest_matched`, of all clusters; `n_standing`, clouds.
    With `on_sphere`, clouds are brought to unit length.
    """
    clusters = []
    for stream in rng.spawn(n_clouds):
        cloud = draw(stream).astype(np.float32)
        graph = neighbor_graph_of(unit_rows(cloud) if on_sphere else cloud, n_neighbors)
        streams = stream.spawn(len(searches))
        clusters.append(
            [
                clusters_of(graph, how, half_samples, stops=True)
                for how, half_samples in zip(searches, streams, strict=True)
            ]
        )
    return [
        {
            "n_parts": float(np.mean([len(y.matched) for y in own])),
            "largest_matched": max(y.matched.max(initial=0) for y in own),
            "n_standing": float(sum(y.stands(how).any() for y in own)),
        }
        for how, own in zip(searches, zip(*clusters, strict=True), strict=True)
    ]


def by_size(labels: Int[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
    """Return the labels with clusters numbered from the largest."""
    sizes = np.bincount(labels[labels >= 0])
    numbers = np.empty(len(sizes), dtype=np.int64)
    numbers[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    return np.where(labels >= 0, numbers[labels] if len(sizes) else -1, -1)
