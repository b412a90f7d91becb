"""Measures how well a layout preserves two circles."""

import numpy as np
from jaxtyping import Float

from embspace.geometry.groups.groups import same_group_neighbor_share
from embspace.geometry.groups.held_out_scores import linearly_separable
from embspace.geometry.maps.maps import map_quality
from embspace.geometry.maps.rings import (
    circular_rank_correlation,
    largest_step_ratio,
    ring_neighbor_share,
    ring_order_correlation,
)
from embspace.geometry.pairs.neighbors import NeighborGraph


def circle_quality(
    x: Float[np.ndarray, "n dim"],
    layout: Float[np.ndarray, "n map_dim"],
    graph: NeighborGraph,
    *,
    n_neighbors: int,
    largest_closed_step: float,
) -> dict[str, float]:
    """Return the neighbors kept by a layout, the separation of the circles, and ring quality.

    The first half of the rows is one circle, in order, the second half the second. Quantities stand
    beside chance: a layout drawn at random, points dealt to the circles at random, a random order.
    The worse of the two rings counts. A ring is closed if no step is more than
    `largest_closed_step` times the median step.
    """
    n, k = len(x), min(n_neighbors, (len(x) - 1) // 2)
    own = n // 2
    rings = layout[:own], layout[own:]
    quality = map_quality(x, layout, n_neighbors=k, graph=graph)
    same = same_group_neighbor_share(layout, np.repeat([0, 1], own), n_neighbors=k)
    steps = [largest_step_ratio(ring) for ring in rings]
    return {
        "n": n,
        "k": k,
        "trustworthiness": quality.trustworthiness,
        "chance_trustworthiness": quality.chance_trustworthiness,
        "continuity": quality.continuity,
        "chance_continuity": quality.chance_continuity,
        "neighbor_recall": quality.neighbor_recall,
        "chance_neighbor_recall": quality.chance_neighbor_recall,
        "same_circle_share": same,
        "chance_same_circle_share": (own - 1) / (n - 1),
        "linearly_separable": int(linearly_separable(*rings)),
        "n_closed_rings": sum(step <= largest_closed_step for step in steps),
        "largest_step_ratio": max(steps),
        "ring_neighbor_share": min(ring_neighbor_share(ring) for ring in rings),
        "chance_ring_neighbor_share": 2 / ((own - 1) * (own - 2)),
        "ring_order_correlation": min(ring_order_correlation(ring) for ring in rings),
    }


def null_ring_order(n: int, n_shuffles: int, rng: np.random.Generator) -> dict[str, float]:
    """Mean and 97.5 per cent quantile of the order of a ring whose points stand at random."""
    values = [circular_rank_correlation(rng.permutation(n)) for _ in range(n_shuffles)]
    return {
        "null_ring_order_correlation": float(np.mean(values)),
        "null_ring_order_correlation_high": float(np.quantile(values, 0.975)),
    }
