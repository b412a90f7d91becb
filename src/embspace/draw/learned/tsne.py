"""Draws the figure and the tables of `project_tsne`, after Luisto's figures 11c and 18."""

from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.maps.figure import draw_maps
from embspace.draw.page.maps.panels import panels_of_maps
from embspace.draw.page.maps.quality import finding
from embspace.draw.page.saving import Results

FURTHER_RESULTS = ("data/extracted/embeddings.parquet", "conf/project/tsne.yaml")


def draw_tsne(
    results: Results,
    label: str,
    *,
    height_mm: PositiveFloat,
    n_named: NonNegativeInt,
    digits: NonNegativeInt,
    seed: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw the maps of all clouds by t-SNE, each with its quality beside chance."""
    settings = results["conf/project/tsne.yaml"]
    return draw_maps(
        results.tables,
        label,
        method="t-SNE",
        stage="project_tsne",
        title=finding(results.tables, "t-SNE"),
        protocol=f"perplexity {settings['perplexity']:g}, seed {seed}",
        panels=panels_of_maps(results.tables),
        n_named=n_named,
        height_mm=height_mm,
        digits=digits,
    )
