"""Draws the maps of two circles by `project_hopf_link`: Luisto's figures 1 and 2."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, new_figure, without_axes
from embspace.draw.page.looks import BLACK, CIRCLES
from embspace.draw.page.markdown import folded, markdown_table, section
from embspace.draw.page.saving import Results

STAGE = "project_hopf_link"
KEYS = ["link", "method", "perplexity", "n_neighbors", "min_dist"]
COLUMNS = {"tsne": 1, "umap": 2}
ZOOM = 1.45  # of the circles in space
NEAR, SEAM = 10, 4.5  # order of drawing in the middle of the circles; points
METHODS = {"space": "Space", "pca": "PCA", "tsne": "t-SNE", "umap": "UMAP"}
QUALITY = {
    "map": "map",
    "n_runs": "runs",
    "trustworthiness": "trustworthiness",
    "neighbor_recall": "neighbor recall",
    "same_circle_share": "neighbors of the same circle",
    "n_linearly_separable": "linearly separable maps",
    "n_closed_rings": "closed rings",
    "n_rings": "rings",
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
    """Draw the linked circles in space; by t-SNE and UMAP, the best and worst setting.

    A bar a setting says in how many runs the circles are parted, by PCA, too.
    """
    figure, axes = new_figure(
        2,
        3,
        height_mm=height_mm,
        title=_finding(results["quality"]),
        subtitle=f"{label} · {_population(results)} · parted: a line separates the circles",
        stage=STAGE,
    )
    panels = [*_panels(results)]
    _in_space(figure, axes[0], panels[0])
    _settings(axes[3], _maps(results["quality"]))
    for method, column in COLUMNS.items():
        own = [panel for panel in panels if panel.quality["method"] == method]
        for ax, panel in zip(axes[column::3], _ends(own), strict=True):
            if panel:
                _map(ax, panel)
            else:
                ax.set_axis_off()
    handles = [Line2D([], [], color=look.color, marker=look.marker) for look in CIRCLES]
    figure.legend(handles, [look.name for look in CIRCLES], loc="outside lower left", ncols=2)
    return figure, _tables(results, label, digits)


def _maps(quality: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of maps of the linked circles, and whether every run parts these."""
    rows = quality[(quality["link"] == "linked") & (quality["method"] != "space")]
    return rows.assign(is_parted=rows["n_linearly_separable"] == rows["n_runs"])


def _finding(quality: pd.DataFrame) -> str:
    """Return the title: in how many settings of t-SNE and UMAP every run parts the circles."""
    rows = _maps(quality)
    has_seeds = rows["method"] != "pca"
    n, n_parted = has_seeds.sum(), rows.loc[has_seeds, "is_parted"].sum()
    said = f"t-SNE and UMAP pull linked circles apart in {n_parted} of {counted(n, 'setting')}"
    pca = rows.loc[~has_seeds, "is_parted"].all()
    return f"{said}, PCA {'does, too' if pca else 'does not'}"


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
    """Return two panels: the settings that separate the circles most often and least often."""
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
        return f"{name}, {neighbors}, min_dist {row['min_dist']:g}"
    return name


def _population(results: Results) -> str:
    row = results["links"].set_index("link").loc["linked"]
    return (
        f"{counted(row['n_points'], 'point')} a circle, no label used · t-SNE and UMAP: the "
        "settings that part them most and least often"
    )


def _settings(ax: Axes, rows: pd.DataFrame) -> None:
    """Draw a bar per setting: the share of runs that separate the circles."""
    names = [_name(row) for _, row in rows.iterrows()]
    shares = rows["n_linearly_separable"] / rows["n_runs"]
    bars = ax.barh(names, shares, color=BLACK, height=0.6)
    n = rows[["n_linearly_separable", "n_runs"]].itertuples(index=False)
    ax.bar_label(bars, [f"{n_parted} of {n_runs}" for n_parted, n_runs in n], padding=2, fontsize=7)
    ax.set(xlim=(0, 1.4), xticks=[])
    ax.tick_params("y", labelsize=7)
    ax.grid(visible=False)
    ax.spines["bottom"].set_visible(False)
    ax.invert_yaxis()
    seeds = rows[rows["method"] != "pca"]
    ax.set_title(
        f"Runs that part them;\nall in {seeds['is_parted'].sum()} of {len(seeds)} settings"
    )


def _map(ax: Axes, panel: Panel) -> None:
    for circle, look in enumerate(CIRCLES):
        points = _closed(panel, circle)
        ax.plot(points["x"], points["y"], color=look.color, linewidth=0.4, alpha=0.6)
        ax.plot(points["x"][:-1], points["y"][:-1], look.marker, color=look.color, markersize=2.5)
    ax.set_title(panel.title.replace(", min_dist", ",\nmin_dist"))
    without_axes(ax)
    ax.set_xlabel(_quality_words(panel.quality), fontsize=7, color="0.3")


def _closed(panel: Panel, circle: int) -> pd.DataFrame:
    """Return the points of a circle in order, with the first again at the end."""
    points = panel.points[panel.points["circle"] == circle]
    return pd.concat([points, points[:1]])


def _quality_words(row: pd.Series) -> str:
    """Return the words below a map: the runs that part the circles, and closed rings."""
    return (
        f"parted in {row['n_linearly_separable']} of {counted(row['n_runs'], 'run')}\n"
        f"rings without a gap: {row['n_closed_rings']} of {row['n_rings']}"
    )


def _in_space(figure: Figure, ax: Axes, panel: Panel) -> None:
    """Draw both circles in space, nearer parts later and with a white seam."""
    place = ax.get_subplotspec()
    ax.remove()
    space: Any = figure.add_subplot(place, projection="3d", computed_zorder=False)
    space.set_box_aspect((3, 2, 2), zoom=ZOOM)
    for circle, look in enumerate(CIRCLES):
        points = _closed(panel, circle)[[*"xyz"]].to_numpy()
        for step in range(len(points) - 1):
            piece = points[step : step + 2]
            depth = float(piece.mean(axis=0) @ _to_eye(space))
            line: dict[str, Any] = {"zorder": NEAR + depth, "clip_on": False, "in_layout": False}
            space.plot(*piece.T, color="white", lw=SEAM, solid_capstyle="butt", **line)
            space.plot(*piece.T, color=look.color, lw=1.6, solid_capstyle="round", **line)
    space.set_axis_off()
    space.set_title("Linked circles in space")


def _to_eye(space: Any) -> np.ndarray:
    """Return the direction from the middle of a panel to the eye."""
    up, around = np.radians([space.elev, space.azim])
    return np.array([np.cos(up) * np.cos(around), np.cos(up) * np.sin(around), np.sin(up)])


def _tables(results: Results, label: str, digits: int) -> str:
    quality = results["quality"]
    is_linked = quality["link"] == "linked"
    links = results["links"].round({"linking_number": 9})  # a sum of floats is not quite whole
    shown = quality.assign(map=[_name(row) for _, row in quality.iterrows()])
    linked, unlinked = (
        markdown_table(rows[[*QUALITY]].rename(columns=QUALITY), digits)
        for rows in (shown[is_linked], shown[~is_linked])
    )
    first = section(
        "Maps of the linked circles",
        "Means over runs that differ in their seed, and in how many of them a line has the "
        "circles on either side. UMAP: number of neighbors, and the minimum distance of points. "
        "A ring is closed where no step round it is several times the "
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
