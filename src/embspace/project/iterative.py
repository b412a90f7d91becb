"""Maps made step by step, from a graph of neighbors, a start and a seed."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from embspace.clouds.learned import LearnedCloud
from embspace.files.tables import Tables
from embspace.geometry.maps.lines import one_dimensionality
from embspace.geometry.maps.maps import neighbor_overlap
from embspace.geometry.maps.pca import principal_components
from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.geometry.pairs.pairs import scan_pairs
from embspace.project.map_parts import parts_and_numbers
from embspace.project.maps import Layout, LayoutFunction, maps_of, most_neighbors


def iterative_maps(
    clouds: Mapping[str, LearnedCloud],
    graphs: Mapping[str, NeighborGraph],
    vocabulary: pd.DataFrame,
    layout: LayoutFunction,
    *,
    method: str,
    quality_n_neighbors: int,
    n_shuffles: int,
    n_seeds: int,
    n_seed_points: int,
    parts_gap: float,
    smallest_part: float,
    seed: int,
) -> Tables:
    """A map of every cloud with a graph, from principal components; and the seed's effect.

    The effect is measured on every cloud, for larger clouds on `n_seed_points` random points, the
    same for all `n_seeds` seeds. Seeds decide the noise on the start and the draws of the method.
    """
    for_lines, for_points, for_seeds, for_parts = np.random.default_rng(seed).spawn(4)
    seeds = for_seeds.integers(2**31, size=n_seeds).tolist()
    parts = {
        name: _some_points(clouds[name], graph, n_seed_points, for_points)
        for name, graph in graphs.items()
    }
    whole = [(graph, _start(clouds[name]), seed) for name, graph in graphs.items()]
    varied = [
        (graph, _start(part), varied_seed)
        for part, graph in parts.values()
        for varied_seed in seeds
    ]
    layouts = _all(layout, whole + varied, method)
    whole_layouts = dict(zip(graphs, layouts[: len(whole)], strict=True))
    maps = maps_of(
        clouds,
        whole_layouts,
        graphs,
        vocabulary,
        quality_n_neighbors=quality_n_neighbors,
        n_shuffles=n_shuffles,
        rng=for_lines,
    )
    layouts_by_cloud = zip(*[iter(layouts[len(whole) :])] * n_seeds, strict=True)
    rows = [
        {"cloud": name, **_over_seeds(part, list(by_seed), quality_n_neighbors)}
        for (name, (part, _)), by_seed in zip(parts.items(), layouts_by_cloud, strict=True)
    ]
    position_parts, numbers = parts_and_numbers(
        clouds,
        whole_layouts,
        vocabulary,
        gap=parts_gap,
        smallest_share=smallest_part,
        n_draws=n_shuffles,
        rng=for_parts,
    )
    return {**maps, "seeds": pd.DataFrame(rows), "parts": position_parts, "numbers": numbers}


def _some_points(
    cloud: LearnedCloud, graph: NeighborGraph, most: int, rng: np.random.Generator
) -> tuple[LearnedCloud, NeighborGraph]:
    """The cloud and the graph, or random points with their graph."""
    if len(cloud.vectors) <= most:
        return cloud, graph
    part = cloud.sample(most, rng)
    neighbors = scan_pairs(part.vectors, n_neighbors=graph.k).neighbors
    assert neighbors is not None  # they were asked for
    return part, neighbors


def _all(
    layout: LayoutFunction, tasks: Sequence[tuple[NeighborGraph, Layout, int]], method: str
) -> list[Layout]:
    """Maps from neighbors, start and seed, a map a core at a time."""
    from joblib import Parallel, delayed
    from tqdm import tqdm

    calls = (delayed(layout)(graph, start, seed=seed) for graph, start, seed in tasks)
    layouts = Parallel(n_jobs=-1, return_as="generator")(calls)
    return list(tqdm(layouts, total=len(tasks), desc=f"maps by {method}", disable=None))


def _start(cloud: LearnedCloud) -> Layout:
    return principal_components(cloud.vectors, n_components=2).coordinates


def _over_seeds(part: LearnedCloud, layouts: list[Layout], n_neighbors: int) -> dict[str, float]:
    """Return how far maps of the same points by different seeds agree.

    The share of neighbors that two maps have in common: mean, smallest and largest over all pairs
    of maps, and the mean for random layouts. For positions also how well a map lies along a line:
    median, smallest and largest.
    """
    n = len(part.vectors)
    k = most_neighbors(n, n_neighbors)
    overlaps = [neighbor_overlap(a, b, n_neighbors=k) for a, b in combinations(layouts, 2)]
    row = {
        "n": n,
        "k": k,
        "n_seeds": len(layouts),
        "neighbor_overlap": float(np.mean(overlaps)),
        "smallest_neighbor_overlap": min(overlaps),
        "largest_neighbor_overlap": max(overlaps),
        "chance_neighbor_overlap": k / (n - 1),
    }
    return row | (_lines_over_seeds(part, layouts) if part.is_positional else {})


def _lines_over_seeds(part: LearnedCloud, layouts: list[Layout]) -> dict[str, float]:
    rng = np.random.default_rng(0)  # of a null that nobody looks at
    lines = [one_dimensionality(x, part.ids, n_shuffles=1, rng=rng) for x in layouts]
    row: dict[str, float] = {}
    for measure in ("order_correlation", "adjacent_neighbor_share"):
        values = [getattr(line, measure) for line in lines]
        row |= {
            f"median_{measure}": float(np.median(values)),
            f"smallest_{measure}": min(values),
            f"largest_{measure}": max(values),
        }
    return row
