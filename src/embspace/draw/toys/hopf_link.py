"""Draws the maps of two circles by `project_hopf_link`: Luisto's figures 1 and 2."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import counted, new_figure, without_axes
from embspace.draw.page.looks import CIRCLES
from embspace.draw.page.markdown import folded, markdown_table, section

RESULTS = ("parquet", "links.csv", "quality.csv")
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
    results: dict[str, Any],
    label: str,
    *,
    row_height_mm: PositiveFloat,
    n_columns: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw the linked circles in space and their maps, and the PCA of the unlinked ones.

    Each method begins a new row; below a map stand the numbers over all runs of its setting.
    """
    panels = list(_panels(results))
    rows = [
        [panel for panel in panels if _row(panel) == row]
        for row in dict.fromkeys(map(_row, panels))
    ]
    lines = [row[i : i + n_columns] for row in rows for i in range(0, len(row), n_columns)]
    figure, axes = new_figure(
        len(lines),
        n_columns,
        height_mm=row_height_mm * len(lines) + 18,
        title=_finding(results["quality"]),
        subtitle=f"{label} · {_population(results)}",
        stage="project_hopf_link",
    )
    for number, line in enumerate(lines):
        for column in range(n_columns):
            ax = axes[number * n_columns + column]
            if column < len(line):
                _draw(figure, ax, line[column])
            else:
                ax.set_axis_off()
    handles = [Line2D([], [], color=look.color, marker=look.marker) for look in CIRCLES]
    figure.legend(handles, [look.name for look in CIRCLES], loc="outside lower left", ncols=2)
    return figure, _tables(results, label, digits)


def _finding(quality: pd.DataFrame) -> str:
    """Return the title: the number of settings that part the circles at every seed, by method."""
    rows = quality[(quality["link"] == "linked") & (quality["method"] != "space")]
    parted = (rows["n_linearly_separable"] == rows["n_runs"]).groupby(rows["method"], sort=False)
    first, *others = (f"{each.sum()} of {len(each)}|{METHODS[name]}" for name, each in parted)
    words = [first.replace("|", " settings of "), *(each.replace("|", " of ") for each in others)]
    return f"With every seed, the linked circles come apart in {', '.join(words)}"


def _panels(results: dict[str, Any]) -> Iterator[Panel]:
    coordinates = results["parquet"]
    maps = coordinates[coordinates["run"] == 0].groupby(KEYS, sort=False, dropna=False)
    for (key, points), (_, row) in zip(maps, results["quality"].iterrows(), strict=True):
        link, method = key[:2]
        assert [link, method] == [row["link"], row["method"]]  # one order in both tables
        if link == "linked" or method in ("pca", "space"):
            name = _name(row)
            yield Panel(name if method in ("tsne", "umap") else f"{link}: {name}", points, row)


def _row(panel: Panel) -> str:
    method = str(panel.quality["method"])
    return "pca" if method == "space" else method


def _name(row: pd.Series) -> str:
    name = METHODS[row["method"]]
    if pd.notna(row["perplexity"]):
        return f"{name}, perplexity {row['perplexity']:g}"
    if pd.notna(row["n_neighbors"]):
        neighbors = counted(row["n_neighbors"], "neighbor")
        return f"{name}, {neighbors},\nminimum distance {row['min_dist']:g}"
    return name


def _population(results: dict[str, Any]) -> str:
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
    ax.set_xlabel(_kept(panel.quality), fontsize=7, color="0.3")


def _closed(panel: Panel, circle: int) -> pd.DataFrame:
    """Return the points of a circle in their order, with the first one again at the end."""
    points = panel.points[panel.points["circle"] == circle]
    return pd.concat([points, points[:1]])


def _kept(row: pd.Series) -> str:
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


def _tables(results: dict[str, Any], label: str, digits: int) -> str:
    quality = results["quality"]
    is_linked = quality["link"] == "linked"
    links = results["links"].round({"linking_number": 9})  # a sum of floats is not quite whole
    shown = quality.assign(map=[_name(row).replace("\n", " ") for _, row in quality.iterrows()])
    return "\n".join(
        [
            f"# Maps of two circles, {label}\n\nStage `project_hopf_link`.\n",
            section(
                "Maps of the linked circles",
                "Means over runs that differ in their seed, and in how many of them a line has the "
                "circles on either side. A ring is closed where no step round it is several times "
                "the median one. By chance "
                f"{quality['chance_same_circle_share'].iloc[0]:.{digits}f} of the "
                "neighbors are of the same circle.",
                _maps(shown[is_linked], digits),
            ),
            folded(
                section("Maps of unlinked circles", "As above.", _maps(shown[~is_linked], digits))
                + "\n"
                + section(
                    "Links",
                    "The linking number is Gauss's integral over the polygons; the angle is "
                    "between their planes, in degrees.",
                    markdown_table(links, digits),
                )
            ),
        ]
    )


def _maps(quality: pd.DataFrame, digits: int) -> str:
    return markdown_table(quality[[*QUALITY]].rename(columns=QUALITY), digits)
