"""Draws the maps of two circles by `project_hopf_link`: Luisto's figures 1 and 2."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import counted, new_figure, without_axes
from embspace.draw.page.looks import CIRCLES
from embspace.draw.page.markdown import folded, markdown_table, section
from embspace.draw.page.saving import Results

STAGE = "project_hopf_link"
KEYS = ["link", "method", "perplexity", "n_neighbors", "min_dist"]
METHODS = {"space": "space", "pca": "PCA", "tsne": "t-SNE", "umap": "UMAP"}
QUALITY = {
    "link": "circles",
    "map": "map",
    "n_runs": "runs",
    "trustworthiness": "trustworthiness",
    "continuity": "continuity",
    "neighbor_recall": "neighbor recall",
    "same_circle_share": "neighbors of the same circle",
    "n_linearly_separable": "linearly separable maps",
    "n_closed_rings": "closed rings",
    "n_rings": "rings",
    "smallest_ring_order_correlation": "smallest correlation of the order around a ring",
}


@dataclass(frozen=True)
class Panel:
    """Holds the map of the first run with one setting."""

    title: str
    points: pd.DataFrame
    quality: pd.Series
    """The quality over all runs with this setting."""


def draw_hopf_link(
    results: Results,
    label: str,
    *,
    row_height_mm: PositiveFloat,
    n_columns: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw the linked circles in space and their maps, and the PCA of the unlinked ones.

    Each method begins a new row; below a map stand the numbers over all runs of its setting.
    """
    rows = _rows(list(_panels(results)), n_columns)
    height, title = row_height_mm * len(rows) + 18, _finding(results["quality"])
    subtitle = f"{label} · {_population(results)}"
    figure, axes = new_figure(
        len(rows), n_columns, height_mm=height, title=title, subtitle=subtitle, stage=STAGE
    )
    for ax, panel in zip(axes, chain(*rows), strict=True):
        if panel:
            _draw(figure, ax, panel)
        else:
            ax.set_axis_off()
    handles = [Line2D([], [], color=look.color, marker=look.marker) for look in CIRCLES]
    figure.legend(handles, [look.name for look in CIRCLES], loc="outside lower left", ncols=2)
    return figure, _tables(results, label, digits)


def _finding(quality: pd.DataFrame) -> str:
    """Return the title: the number of settings that part the circles at every seed, by method."""
    rows = quality[(quality["link"] == "linked") & (quality["method"] != "space")]
    parted = (rows["n_linearly_separable"] == rows["n_runs"]).groupby(rows["method"], sort=False)
    counts = (
        f"by {METHODS[name]} in {each.sum()} of {counted(len(each), 'setting')}"
        for name, each in parted
    )
    return f"With every seed, the linked circles come apart {', '.join(counts)}"


def _panels(results: Results) -> Iterator[Panel]:
    coordinates = results["parquet"]
    maps = coordinates[coordinates["run"] == 0].groupby(KEYS, sort=False, dropna=False)
    for (key, points), (_, row) in zip(maps, results["quality"].iterrows(), strict=True):
        link, method = key[:2]
        assert [link, method] == [row["link"], row["method"]]  # one order in both tables
        if link == "linked" or method == "pca":
            yield Panel(f"{link}: {_name(row)}", points, row)


def _rows(panels: list[Panel], n_columns: int) -> list[list[Panel | None]]:
    """Return rows of the grid, filled up with None; each method begins one, but space and PCA."""
    by_method: dict[str, list[Panel | None]] = {}
    for panel in panels:
        method = str(panel.quality["method"])
        by_method.setdefault("pca" if method == "space" else method, []).append(panel)
    filled = [row + [None] * (-len(row) % n_columns) for row in by_method.values()]
    return [row[i : i + n_columns] for row in filled for i in range(0, len(row), n_columns)]


def _name(row: pd.Series) -> str:
    name = METHODS[row["method"]]
    if pd.notna(row["perplexity"]):
        return f"{name}, perplexity {row['perplexity']:g}"
    if pd.notna(row["n_neighbors"]):
        neighbors = counted(row["n_neighbors"], "neighbor")
        return f"{name}, {neighbors},\nminimum distance {row['min_dist']:g}"
    return name


def _population(results: Results) -> str:
    links = results["links"].set_index("link")
    row = links.loc["linked"]
    numbers = ", ".join(f"{name} {value:z.0f}" for name, value in links["linking_number"].items())
    numbers = numbers.replace("-", "−")
    return (
        f"{counted(row['n_points'], 'point')} a circle, no label used · linking number: {numbers} "
        f"· below each map: share of the {results['quality']['k'].max()} nearest neighbors on the "
        "same circle and kept (recall), linearly separable maps, closed rings"
    )


def _draw(figure: Figure, ax: Axes, panel: Panel) -> None:
    if panel.quality["method"] == "space":
        _in_space(figure, ax, panel)
        return
    for circle, look in enumerate(CIRCLES):
        points = _closed(panel, circle)
        ax.plot(points["x"], points["y"], color=look.color, linewidth=0.4, alpha=0.6)
        ax.plot(points["x"][:-1], points["y"][:-1], look.marker, color=look.color, markersize=2.5)
    ax.set_title(panel.title, loc="left", fontsize=7.5)
    without_axes(ax)
    ax.set_xlabel(_quality_words(panel.quality), fontsize=7, color="0.3")


def _closed(panel: Panel, circle: int) -> pd.DataFrame:
    """Return the points of a circle in their order, with the first one again at the end."""
    points = panel.points[panel.points["circle"] == circle]
    return pd.concat([points, points[:1]])


def _quality_words(row: pd.Series) -> str:
    """Return the words below a map: shares of neighbors, and counts of runs and rings."""
    return (
        f"same circle {row['same_circle_share']:.2f}, recall {row['neighbor_recall']:.2f}\n"
        f"{row['n_linearly_separable']}/{row['n_runs']} separable, "
        f"{row['n_closed_rings']}/{row['n_rings']} closed"
    )


def _in_space(figure: Figure, ax: Axes, panel: Panel) -> None:
    place = ax.get_subplotspec()
    ax.remove()
    space: Any = figure.add_subplot(place, projection="3d")
    for circle, look in enumerate(CIRCLES):
        points = _closed(panel, circle)
        space.plot(points["x"], points["y"], points["z"], color=look.color, linewidth=1.6)
    space.set(xticks=[-1, 0, 1], yticks=[-1, 0, 1], zticks=[-1, 0, 1], box_aspect=(3, 2, 2))
    space.tick_params(labelsize=7, pad=-3)
    space.set_title(panel.title, loc="left", fontsize=7.5)


def _tables(results: Results, label: str, digits: int) -> str:
    quality = results["quality"]
    is_linked = quality["link"] == "linked"
    links = results["links"].round({"linking_number": 9})  # a sum of floats is not quite whole
    shown = quality.assign(map=[_name(row).replace("\n", " ") for _, row in quality.iterrows()])
    linked, unlinked = (
        markdown_table(rows[[*QUALITY]].rename(columns=QUALITY), digits)
        for rows in (shown[is_linked], shown[~is_linked])
    )
    first = section(
        "Maps of the linked circles",
        "Means over runs that differ in their seed, and in how many of them a line has the "
        "circles on either side. A ring is closed where no step round it is several times the "
        f"median one. By chance {quality['chance_same_circle_share'].iloc[0]:.{digits}f} of the "
        "neighbors are of the same circle.",
        linked,
    )
    more = section(
        "Links",
        "The linking number is Gauss's integral over the polygons; the angle is between their "
        "planes, in degrees.",
        markdown_table(links, digits),
    )
    more = f"{section('Maps of unlinked circles', 'As above.', unlinked)}\n{more}"
    heading = f"# Maps of two circles, {label}\n\nStage `project_hopf_link`.\n"
    return f"{heading}\n{first}\n{folded(more)}"
