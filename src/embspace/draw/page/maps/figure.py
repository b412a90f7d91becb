"""Draws the figure of the maps that one method makes, and its tables."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from embspace.draw.page.canvas import new_figure, say_absent, say_instead
from embspace.draw.page.maps.panels import TITLES, Panel, population, unstructured_positions
from embspace.draw.page.maps.places import name_places
from embspace.draw.page.maps.points import draw_map, legend_of_kinds
from embspace.draw.page.maps.quality import kept, map_tables


def draw_maps(
    results: Mapping[str, Any],
    label: str,
    *,
    method: str,
    stage: str,
    title: str,
    protocol: str,
    panels: Sequence[Panel],
    n_named: int,
    height_mm: float,
    digits: int,
) -> tuple[Figure, str]:
    """Draw each panel with its quality below it and one legend for all; return the tables, too.

    Args:
        results: What the stage has saved, and the extracted table of tokens.
        label: The model's name.
        method: The method's name for readers.
        stage: Makes the maps.
        title: The finding.
        protocol: Settings of the method, for the subtitle.
        panels: Two or more, in the order in which they are drawn.
        n_named: Dense places that get a name, in a map of tokens.
        height_mm: Height of the figure.
        digits: After the point, in the tables.
    """
    figure, axes = new_figure(
        2,
        2,
        height_mm=height_mm,
        title=title,
        subtitle=f"{label} · {population(results['parquet'])} · {protocol}",
        stage=stage,
    )
    unstructured = unstructured_positions(results["parquet"])
    for ax, panel in zip(axes, panels, strict=False):
        ax.set_title(panel.title or TITLES[panel.cloud], loc="left")
        draw_map(figure, ax, panel, unstructured if panel.cloud == "positional" else set())
        words = (panel.names[0], kept(panel.quality) if panel.has_quality else "")
        ax.set_xlabel("\n".join(filter(None, words)), fontsize=7)
        if not panel.is_positional:
            name_places(ax, panel.rows, n_named)
    legend_of_kinds(figure, axes)
    clouds = set(results["quality"]["cloud"])
    if "positional" not in clouds:
        say_absent(axes[len(panels) :], label, "positional")
    elif "structured" not in clouds:
        say_instead(axes[len(panels) :], "no structured positions")
    # The first layout learns how much of its cell each map of equal scales fills, and only the next
    # one has room for the words below it.
    figure.draw_without_rendering()
    return figure, map_tables(results, label, method, stage, digits)
