"""Draws the figure and the tables of `project_umap`, after Luisto's figures 11d and 18."""

from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.maps.figure import draw_maps
from embspace.draw.page.maps.panels import panels_of_maps
from embspace.draw.page.maps.quality import finding
from embspace.draw.page.saving import Results

FURTHER_RESULTS = ("data/extracted/embeddings.parquet", "conf/project/umap.yaml")


def draw_umap(
    results: Results,
    label: str,
    *,
    height_mm: PositiveFloat,
    n_named: NonNegativeInt,
    digits: NonNegativeInt,
    seed: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw the maps of all clouds by UMAP, each with its quality beside chance."""
    settings = results["conf/project/umap.yaml"]
    return draw_maps(
        results.tables,
        label,
        method="UMAP",
        stage="project_umap",
        title=finding(results.tables, "UMAP"),
        protocol=f"{settings['n_neighbors']} neighbors, minimum distance "
        f"{settings['min_dist']:g}, seed {seed}",
        panels=panels_of_maps(results.tables),
        n_named=n_named,
        height_mm=height_mm,
        digits=digits,
    )
