"""Maps that are found step by step, from a graph of neighbours, a start and a seed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from joblib import delayed

from embspace.clouds import Cloud
from embspace.geometry.maps import neighbor_overlap
from embspace.geometry.neighbors import NeighborGraph
from embspace.geometry.pairs import scan_pairs
from embspace.geometry.pca import principal_components
from embspace.project.maps import Layout, Maps, maps_of

LayoutFunction = Callable[..., Layout]
"""A method with its settings: of neighbours, a start, and `seed` by name, it makes a map."""


@dataclass(frozen=True)
class IterativeMaps:
    """Maps, and what the seed does to them."""

    maps: Maps
    seeds: pd.DataFrame
    """One row a cloud: the neighbours that maps of the same points by other seeds share."""


def iterative_maps(
    clouds: Mapping[str, Cloud],
    graphs: Mapping[str, NeighborGraph],
    vocabulary: pd.DataFrame,
    layout: LayoutFunction,
    *,
    method: str,
    quality_n_neighbors: int,
    n_shuffles: int,
    n_seeds: int,
    n_seed_points: int,
    seed: int,
) -> IterativeMaps:
    """A map of each cloud that has a graph, from its principal components; the seed's effect.

    That is measured on `n_seed_points` random points of each larger cloud, the same for all
    `n_seeds` seeds. Maps of one cloud differ by the noise on the start and what a method draws.
    """
    of_lines, of_points = np.random.default_rng(seed).spawn(2)
    tasks = [
        delayed(layout)(graph, _start(clouds[name]), seed=seed) for name, graph in graphs.items()
    ]
    k = max(graph.k for graph in graphs.values())
    large = [name for name, cloud in clouds.items() if len(cloud.vectors) > n_seed_points]
    for name in large:
        part = clouds[name].sample(n_seed_points, of_points)
        graph = scan_pairs(part.vectors, n_neighbors=k).neighbors
        tasks += [delayed(layout)(graph, _start(part), seed=each) for each in range(n_seeds)]
    layouts = _all(tasks, method)
    maps = maps_of(
        clouds,
        dict(zip(graphs, layouts, strict=False)),
        vocabulary,
        quality_n_neighbors=quality_n_neighbors,
        n_shuffles=n_shuffles,
        rng=of_lines,
    )
    starts = range(len(graphs), len(layouts), n_seeds)
    rows = [
        {"cloud": name, **_shared_neighbors(layouts[start : start + n_seeds], quality_n_neighbors)}
        for name, start in zip(large, starts, strict=True)
    ]
    return IterativeMaps(maps, pd.DataFrame(rows) if rows else pd.DataFrame(columns=["cloud"]))


def _all(tasks: Sequence[Any], method: str) -> list[Layout]:
    """Results in the order of the tasks. Each takes one core, so as many run as there are."""
    from joblib import Parallel
    from tqdm import tqdm

    found = Parallel(n_jobs=-1, return_as="generator")(tasks)
    return list(tqdm(found, total=len(tasks), desc=f"maps by {method}", disable=None))


def _start(cloud: Cloud) -> Layout:
    return principal_components(cloud.vectors, n_components=2).coordinates


def _shared_neighbors(layouts: list[Layout], n_neighbors: int) -> dict[str, float]:
    """Mean, smallest and largest overlap of two maps' neighbours, and that of random layouts."""
    overlaps = [
        neighbor_overlap(a, b, n_neighbors=n_neighbors) for a, b in combinations(layouts, 2)
    ]
    n = len(layouts[0])
    return {
        "n": n,
        "k": n_neighbors,
        "n_seeds": len(layouts),
        "neighbor_overlap": float(np.mean(overlaps)),
        "smallest_neighbor_overlap": min(overlaps),
        "largest_neighbor_overlap": max(overlaps),
        "chance_neighbor_overlap": n_neighbors / (n - 1),
    }
