"""Stage `project_hopf_link`: maps of two linked circles, and of two unlinked circles.

Luisto's thesis, section 2.3.1, figures 1 and 2; points and parameters are ours, for the thesis
states none. No model: the outputs are named `toy`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any

import numpy as np
import pandas as pd
from jaxtyping import Float
from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt

from embspace.analysis import Analysis, Outcome, Table
from embspace.errors import InputError
from embspace.files.rows import save_rows
from embspace.geometry.maps.links import circle_pair, linking_number
from embspace.geometry.maps.pca import principal_components
from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.geometry.pairs.pairs import scan_pairs
from embspace.project.circles import circle_quality, null_ring_order
from embspace.project.layouts.tsne import tsne_layout
from embspace.project.layouts.umap import umap_layout
from embspace.project.maps import Layout, LayoutFunction
from embspace.settings.stage import run_stage

Points = Float[np.ndarray, "n dim"]
KEYS = ["link", "method", "perplexity", "n_neighbors", "min_dist"]
# What is made of the runs of a setting, of each quantity; of others the mean.
OVER_RUNS = {"linearly_separable": "sum", "n_closed_rings": "sum", "largest_step_ratio": "median"}


HOPF_LINK = Analysis(
    noun="hopf_link",
    question="What do maps show of two linked circles, where all is known? Figs 1, 2",
    verb="project",
    over="",
    reads={},
    data={"parquet": save_rows},  # a row for each point of a map, or of space: x, y and, there, z
    tables={
        "links": Table(
            {
                "link": "row",
                "n_points": "setting",
                "linking_number": "moment",
                "smallest_distance": "moment",
                "center_distance": "setting",
                "angle": "setting",
            }
        ),
        "quality": Table(  # of each method and setting, over its runs
            {
                **dict.fromkeys(KEYS, "row"),
                "n": "count",
                "k": "row",
                "n_runs": "count",
                "n_rings": "count",
                "n_linearly_separable": "small_map_count",
                "n_closed_rings": "small_map_count",
                "trustworthiness": "small_map",
                "chance_trustworthiness": "moment",
                "continuity": "small_map",
                "chance_continuity": "moment",
                "neighbor_recall": "small_map",
                "chance_neighbor_recall": "moment",
                "same_circle_share": "small_map",
                "chance_same_circle_share": "moment",
                "largest_step_ratio": "step_ratio",
                "ring_neighbor_share": "small_map",
                "chance_ring_neighbor_share": "moment",
                "ring_order_correlation": "small_map_order",
                "null_ring_order_correlation": "null_value",
                "null_ring_order_correlation_high": "null_value",
                "smallest_ring_order_correlation": "map_order",
            }
        ),
    },
)


@dataclass(frozen=True)
class Method:
    """A way to lay points out, with its settings."""

    name: str
    layout: LayoutFunction
    """Makes a layout from neighbors and a start, with `seed` by name."""
    n_runs: int
    settings: dict[str, float] = field(default_factory=dict)


def project_hopf_link(
    *,
    n_points: Annotated[int, Field(ge=16)],
    angle: PositiveFloat,
    linked_distance: Annotated[float, Field(gt=0, lt=2)],
    unlinked_distance: Annotated[float, Field(gt=2)],
    perplexities: list[PositiveFloat],
    early_exaggeration: PositiveFloat,
    early_exaggeration_iter: NonNegativeInt,
    n_iter: NonNegativeInt,
    n_neighbors: list[Annotated[int, Field(ge=2)]],
    min_dists: list[Annotated[float, Field(ge=0, le=1)]],
    n_epochs: PositiveInt,
    negative_sample_rate: PositiveInt,
    jitter: PositiveFloat,
    n_runs: PositiveInt,
    quality_n_neighbors: PositiveInt,
    largest_closed_step: PositiveFloat,
    n_shuffles: PositiveInt,
    seed: NonNegativeInt,
) -> Outcome:
    """Linked and unlinked circles by PCA, t-SNE and UMAP, with the quality of every map.

    Per map: trustworthiness, continuity and neighbor recall; the share of a point's
    `quality_n_neighbors` nearest on the same circle; whether a line separates the circles; and ring
    quality, the worse of both circles for a single number. Space itself stands first, as a map onto
    itself. Runs differ only in the seed; PCA has one run. Numbers are means over runs, except
    `n_linearly_separable` of `n_runs` maps, `n_closed_rings` of `n_rings`, and the median
    `largest_step_ratio`.

    Raises:
        InputError: more neighbors asked for than there are points.
    """
    _check_sizes(2 * n_points, perplexities, n_neighbors)
    for_seeds, for_shuffles = np.random.default_rng(seed).spawn(2)
    seeds = for_seeds.integers(2**31, size=n_runs).tolist()
    tsne = partial(
        tsne_layout,
        early_exaggeration=early_exaggeration,
        early_exaggeration_iter=early_exaggeration_iter,
        n_iter=n_iter,
        jitter=jitter,
    )
    umap = partial(
        umap_layout, n_epochs=n_epochs, negative_sample_rate=negative_sample_rate, jitter=jitter
    )
    methods = _methods(tsne, umap, perplexities, n_neighbors, min_dists, n_runs)
    judge = partial(
        circle_quality, n_neighbors=quality_n_neighbors, largest_closed_step=largest_closed_step
    )
    null = null_ring_order(n_points, n_shuffles, for_shuffles)
    coordinates, links, quality = [], [], []
    for link, distance in {"linked": linked_distance, "unlinked": unlinked_distance}.items():
        circles = circle_pair(n_points, center_distance=distance, angle=angle)
        links.append({"link": link, **_link(circles), "center_distance": distance, "angle": angle})
        x = np.concatenate(circles)
        graph = _graph(x)
        for key, layout in _layouts(x, graph, methods, seeds):
            coordinates.append(_coordinates(layout).assign(link=link, **key))
            quality.append({"link": link, **key, **judge(x, layout, graph), **null})
    points = pd.concat(coordinates, ignore_index=True)
    return {
        "parquet": points[[*KEYS, "run", "circle", "point", "x", "y", "z"]],
        "links": pd.DataFrame(links),
        "quality": _over_runs(pd.DataFrame(quality)),
    }


def _check_sizes(n: int, perplexities: list[float], n_neighbors: list[int]) -> None:
    """Refuse settings that the methods would silently lower."""
    for key, largest, most in (
        ("perplexities", max(perplexities, default=0), (n - 1) / 3),
        ("n_neighbors", max(n_neighbors, default=0), n),
    ):
        if largest > most:
            raise InputError(
                f"conf/project/hopf_link.yaml: key '{key}': found {largest}, allowed: at most "
                f"{most:g} for {n} points"
            )


def _methods(
    tsne: LayoutFunction,
    umap: LayoutFunction,
    perplexities: list[float],
    n_neighbors: list[int],
    min_dists: list[float],
    n_runs: int,
) -> list[Method]:
    """All ways of laying out, in the order of the tables."""
    methods = [Method("pca", lambda graph, start, seed: start, 1)]
    for perplexity in perplexities:
        settings = {"perplexity": perplexity}
        methods.append(Method("tsne", partial(tsne, **settings), n_runs, settings))
    for min_dist in min_dists:
        for k in n_neighbors:
            layout = partial(umap, n_neighbors=k, min_dist=min_dist)
            settings = {"n_neighbors": k, "min_dist": min_dist}
            methods.append(Method("umap", layout, n_runs, settings))
    return methods


def _layouts(
    x: Points, graph: NeighborGraph, methods: list[Method], seeds: list[int]
) -> Iterator[tuple[dict[str, Any], Layout]]:
    """Yield the space itself, then every map, with identifying columns."""
    start = principal_components(x, n_components=2).coordinates
    unset = dict.fromkeys(KEYS[2:], np.nan)
    yield {"method": "space", **unset, "run": 0}, x
    for method in methods:
        for run, seed in enumerate(seeds[: method.n_runs]):
            layout = np.asarray(method.layout(graph, start, seed=seed), dtype=np.float64)
            yield {"method": method.name, **unset, **method.settings, "run": run}, layout


def _graph(x: Points) -> NeighborGraph:
    """All further points by distance, per point."""
    # In float32: a layout may turn on the last digit of a distance.
    graph = scan_pairs(x.astype(np.float32), n_neighbors=len(x) - 1).neighbors
    assert graph is not None  # it was asked for
    return graph


def _link(circles: tuple[Points, Points]) -> dict[str, float]:
    from scipy.spatial.distance import cdist

    return {
        "n_points": len(circles[0]),
        "linking_number": linking_number(*circles),
        "smallest_distance": float(cdist(*circles).min()),
    }


def _coordinates(layout: Layout) -> pd.DataFrame:
    """Return a row per point: circle, 0 or 1, and number on the circle."""
    n = len(layout) // 2
    table = pd.DataFrame({"circle": np.repeat([0, 1], n), "point": np.tile(np.arange(n), 2)})
    for axis, column in enumerate("xyz"):
        values = layout[:, axis] if axis < layout.shape[1] else np.full(2 * n, np.nan)
        table[column] = values.astype(np.float32)
    return table


def _over_runs(maps: pd.DataFrame) -> pd.DataFrame:
    """Return a row per method and setting."""
    columns = [str(column) for column in maps if column not in {*KEYS, "run"}]
    runs = maps.groupby(KEYS, sort=False, dropna=False)
    table = runs.agg({column: OVER_RUNS.get(column, "mean") for column in columns})
    table = table.astype({"n": int, "k": int})
    table = table.rename(columns={"linearly_separable": "n_linearly_separable"})
    table["n_runs"] = runs.size()
    table["n_rings"] = 2 * table["n_runs"]
    table["smallest_ring_order_correlation"] = runs["ring_order_correlation"].min()
    first = ["n", "k", "n_runs", "n_rings", "n_linearly_separable", "n_closed_rings"]
    order = [*first, *(str(column) for column in table if column not in first)]
    return table[order].reset_index()


main = HOPF_LINK.main(project_hopf_link)

if __name__ == "__main__":
    run_stage(main, project_hopf_link, groups=())
