"""Tells how far the maps of `project_tsne` can be trusted, with tables."""

from pydantic import NonNegativeInt

from embspace.draw.page.maps.quality import finding, map_tables
from embspace.draw.page.saving import Results

DRAWN_IN = "projections"


def draw_tsne(results: Results, label: str, *, digits: NonNegativeInt) -> tuple[str, str]:
    """Return the share of neighbors kept by the maps, and tables of the maps' quality."""
    tables = map_tables(results.tables, label, "t-SNE", "project_tsne", digits)
    return finding(results.tables, "t-SNE"), tables
