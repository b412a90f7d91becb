"""Figure and tables of `project_umap`: Luisto's figures 11d and 18."""

from typing import Any

from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.maps import finding, map_figure, map_tables, panels_of_maps

RESULTS = (
    "parquet",
    "quality.csv",
    "one_dimensionality.csv",
    "seeds.csv",
    "data/extracted/embeddings.parquet",
    "conf/project/umap.yaml",
)


def draw_umap(
    results: dict[str, Any],
    label: str,
    *,
    height_mm: PositiveFloat,
    n_named: NonNegativeInt,
    digits: NonNegativeInt,
    seed: NonNegativeInt,
) -> tuple[Figure, str]:
    """Maps of all clouds by UMAP, each with its quality beside chance."""
    settings, stage = results["conf/project/umap.yaml"], "project_umap"
    figure = map_figure(
        results,
        label,
        title=finding(results, "UMAP"),
        protocol=f"{settings['n_neighbors']} neighbors, minimum distance "
        f"{settings['min_dist']:g}, seed {seed}",
        stage=stage,
        panels=panels_of_maps(results),
        n_named=n_named,
        height_mm=height_mm,
    )
    return figure, map_tables(results, label, "UMAP", stage, digits)
