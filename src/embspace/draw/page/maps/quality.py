"""Says how far maps can be trusted, in a sentence and in tables."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from embspace.draw.page.canvas import absent, percent
from embspace.draw.page.looks import CLOUDS, names
from embspace.draw.page.markdown import for_readers, markdown_table, same, section, tables_page

# The columns that every table of the quality of maps has.
QUALITY = {
    **same("n", "k", "trustworthiness", "continuity"),
    "chance_trustworthiness": "chance of both",
    "neighbor_recall": "neighbor recall",
    "chance_neighbor_recall": "chance",
}
QUALITY_NOTE = (
    "Of the neighbors in a map those that are neighbors in space, and the other way round; the "
    "share of the nearest that are kept. Chance is a random layout."
)
OF_CLOUDS = {"cloud": "cloud", "n_axes": "axes", **QUALITY}
LINE_NOTE = (
    "Correlation of position with order along the minimum spanning tree, and share "
    "of positions whose two nearest are the next ones."
)
SEEDS_NOTE = (
    "Share of a point's nearest neighbors in one map that it has in the map of "
    "another seed: the same random points, the same settings."
)
LINES_OVER_SEEDS_NOTE = "A map that tears the line in one place turns a part of the order round."
SEEDS = {
    **same("cloud", "n"),
    "n_seeds": "seeds",
    "neighbor_overlap": "neighbor overlap",
    "smallest_neighbor_overlap": "smallest",
    "largest_neighbor_overlap": "largest",
    "chance_neighbor_overlap": "chance",
}
LINES_OVER_SEEDS = {
    "cloud": "cloud",
    "n_seeds": "seeds",
    "median_order_correlation": "order along the tree, median",
    "smallest_order_correlation": "smallest order",
    "largest_order_correlation": "largest order",
    "median_adjacent_neighbor_share": "two nearest are i±1, median",
    "smallest_adjacent_neighbor_share": "smallest share",
    "largest_adjacent_neighbor_share": "largest share",
}
# The columns that say how nearly positions lie along a line in their order.
LINE = {
    "order_correlation": "order along the tree",
    "null_order_correlation_high": "shuffled, 97.5 %",
    "adjacent_neighbor_share": "two nearest are i±1",
    "null_adjacent_neighbor_share": "by chance",
}
LINES = {"cloud": "cloud", "n_axes": "axes", "n": "n", **LINE}


def finding(results: Mapping[str, Any], method: str) -> str:
    """Return the title: the largest share of nearest neighbors kept by a method's maps.

    Maps of positions, if any, have a separate share.
    """
    quality = results["quality"][results["quality"]["n_axes"] == 2]
    is_line = quality["cloud"].isin(["positional", "structured"])
    parts = []
    for rows in (quality[~is_line], quality[is_line]):
        if not rows.empty:
            row = rows.loc[rows["neighbor_recall"].idxmax()]
            parts.append(percent(row["neighbor_recall"]))
    words = f"{method} keeps at best {parts[0]} of the nearest neighbors"
    return f"{words}, and {parts[1]} of those among positions" if parts[1:] else words


def map_tables(results: Mapping[str, Any], label: str, method: str, stage: str, digits: int) -> str:
    """Return the tables of quality, and those over seeds where several were tried."""
    quality, lines = results["quality"], results["one_dimensionality"]
    shown = for_readers(quality, OF_CLOUDS, cloud=names(CLOUDS))
    sections = [section("Quality", QUALITY_NOTE, markdown_table(shown, digits, ["chance"]))]
    if "positional" not in set(quality["cloud"]):
        sections.append(f"{absent(label, 'positional')}\n")
    if not lines.empty:
        shown = for_readers(lines, LINES, cloud=names(CLOUDS))
        body = markdown_table(shown, digits, ["by chance"])
        sections.append(section("One-dimensionality of the positions", LINE_NOTE, body))
    if "seeds" in results and not results["seeds"].empty:
        sections += _over_seeds(results["seeds"], digits)
    return tables_page(f"Maps of {label} by {method}", stage, *sections)


def _over_seeds(seeds: pd.DataFrame, digits: int) -> list[str]:
    """Return how much maps of several seeds agree, and how well each orders the positions."""
    shown = for_readers(seeds, SEEDS, cloud=names(CLOUDS))
    body = markdown_table(shown, digits, ["chance"])
    sections = [section("What the seed does", SEEDS_NOTE, body)]
    lines = seeds.reindex(columns=["median_order_correlation"])
    if lines.notna().any(axis=None):  # of maps of positions
        lines = for_readers(seeds, LINES_OVER_SEEDS, cloud=names(CLOUDS)).dropna()
        body = markdown_table(lines, digits)
        sections.append(section("One-dimensionality by seed", LINES_OVER_SEEDS_NOTE, body))
    return sections
