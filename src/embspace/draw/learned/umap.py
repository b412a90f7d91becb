"""Tells how far the maps of `project_umap` can be trusted, with tables."""

from pydantic import NonNegativeInt

from embspace.draw.page.maps.quality import finding, map_tables
from embspace.draw.page.saving import Results

DRAWN_IN = "projections"


def draw_umap(results: Results, label: str, *, digits: NonNegativeInt) -> tuple[str, str]:
    """Return the share of neighbors kept by the maps, and tables of the maps' quality."""
    tables = map_tables(results.tables, label, "UMAP", "project_umap", digits)
    return finding(results.tables, "UMAP"), tables
