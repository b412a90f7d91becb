"""Figure and tables of `project_pca`: Luisto's figure 11a."""

from typing import Any

from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.maps import map_figure

RESULTS = ("parquet", "quality.csv", "one_dimensionality.csv")


def draw_pca(
    results: dict[str, Any], label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Maps of all clouds by principal components, each with its quality beside chance."""
    return map_figure(results, label, "PCA", "project_pca", height_mm, digits)
