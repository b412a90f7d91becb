"""Figure and tables of `project_umap`: Luisto's figures 11d and 18."""

from typing import Any

from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.maps import map_figure

RESULTS = ("parquet", "quality.csv", "one_dimensionality.csv", "seeds.csv")


def draw_umap(
    results: dict[str, Any], label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Maps of all clouds by UMAP, each with its quality beside chance."""
    return map_figure(results, label, "UMAP", "project_umap", height_mm, digits)
