"""Draws the maps of two circles by `project_hopf_link`: Luisto's figures 1 and 2."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, new_figure, without_axes
from embspace.draw.page.looks import CIRCLES
from embspace.draw.page.markdown import folded, markdown_table, section
from embspace.draw.page.saving import Results

STAGE = "project_hopf_link"
KEYS = ["link", "method", "perplexity", "n_neighbors", "min_dist"]
COLUMNS = (("space", "pca"), ("tsne",), ("umap",))
METHODS = {"space": "Space", "pca": "PCA", "tsne": "t-SNE", "umap": "UMAP"}
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
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the linked circles in space and by PCA; by t-SNE and UMAP, the best and worst setting.

    Below a map stand the numbers over all runs of its setting.
    """
    figure, axes = new_figure(
        2,
        len(COLUMNS),
        height_mm=height_mm,
        title=_finding(results["quality"]),
        subtitle=f"{label} · {_population(results)}",
        stage=STAGE,
    )
    panels = [*_panels(results)]
    for column, methods in enumerate(COLUMNS):
        own = [panel for panel in panels if panel.quality["method"] in methods]
        for ax, panel in zip(axes[column :: len(COLUMNS)], _ends(own), strict=True):
            if panel:
                _draw(figure, ax, panel)
            else:
                ax.set_axis_off()
    handles = [Line2D([], [], color=look.color, marker=look.marker) for look in CIRCLES]
    figure.legend(handles, [look.name for look in CIRCLES], loc="outside lower left", ncols=2)
    return figure, _tables(results, label, digits)


def _finding(quality: pd.DataFrame) -> str:
    """Return the title: which methods part the circles at every seed, in most of their settings."""
    rows = quality[(quality["link"] == "linked") & (quality["method"] != "space")]
    is_parted = rows["n_linearly_separable"] == rows["n_runs"]
    shares = is_parted.groupby(rows["method"], sort=False).mean()
    part, keep = (
        [METHODS[str(name)] for name in shares.index[chosen]]
        for chosen in (shares > 0.5, shares <= 0.5)
    )
    if not part:
        return "No method pulls linked circles apart in most of its settings"
    verb = "pulls" if len(part) == 1 else "pull"
    words = f"{' and '.join(part)} {verb} linked circles apart in most settings"
    return f"{words}, {' and '.join(keep)} does not" if len(keep) == 1 else words


def _panels(results: Results) -> Iterator[Panel]:
    """Yield the map of the linked circles with each setting."""
    coordinates = results["parquet"]
    maps = coordinates[coordinates["run"] == 0].groupby(KEYS, sort=False, dropna=False)
    for (key, points), (_, row) in zip(maps, results["quality"].iterrows(), strict=True):
        link, method = key[:2]
        assert [link, method] == [row["link"], row["method"]]  # one order in both tables
        if link == "linked":
            yield Panel(_name(row), points, row)


def _ends(panels: list[Panel]) -> list[Panel | None]:
    """Return two panels: of several settings, those that part the circles most and least often."""
    if len(panels) > 2:
        panels = sorted(panels, key=lambda panel: -panel.quality["n_linearly_separable"])
        panels = [panels[0], panels[-1]]
    return [*panels, None, None][:2]


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
        "· t-SNE and UMAP: the settings that part them most and least often"
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
    """Return the words below a map: the runs that part the circles, and closed rings."""
    return (
        f"parted in {row['n_linearly_separable']} of {counted(row['n_runs'], 'run')}\n"
        f"rings closed: {row['n_closed_rings']} of {row['n_rings']}"
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
