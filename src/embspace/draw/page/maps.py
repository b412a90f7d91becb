"""Maps of the clouds of a model, each with how far it can be trusted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator
from scipy.ndimage import gaussian_filter, maximum_filter

from embspace.draw.page.canvas import (
    absent,
    counted,
    legend_below,
    new_figure,
    percent,
    say_absent,
    say_instead,
    without_axes,
)
from embspace.draw.page.looks import BLACK, CLOUDS, SPACES, TOKEN_KINDS, Look
from embspace.draw.page.markdown import folded, markdown_table, same, section
from embspace.draw.page.token_kinds import drawable, token_kinds

# Columns that every table of the quality of maps has, and what is to be said of them.
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
LINES = {
    "cloud": "cloud",
    "n_axes": "axes",
    "n": "n",
    "order_correlation": "order along the tree",
    "null_order_correlation_high": "shuffled, 97.5 %",
    "adjacent_neighbor_share": "two nearest are i±1",
    "null_adjacent_neighbor_share": "by chance",
}
POINTS = 0.5  # area of a token's dot, in square points
ALPHA = 0.6  # of dots, which lie on one another
EXTRACTED = "data/extracted/embeddings.parquet"
TITLES = {
    "joint": "Raw vectors",
    "joint_centered": "Centered, at unit length",
    "input": "Raw vectors",
    "input_centered": "Centered, at unit length",
    "positional": "All positions",
    "structured": "Structured positions",
}
CUT = 0.002  # share of vectors that each end of an axis leaves out, so that the rest has room
GRID = 90  # cells of a map's density, a side
APART = 9  # cells between named places
NEAREST = 12  # tokens that a place is named after
ONE_KIND = 0.75  # share of them that makes a place one of its kind


@dataclass(frozen=True)
class Panel:
    """Two axes of the map of a cloud."""

    cloud: str
    rows: pd.DataFrame
    """Coordinates x and y, with space, id, token and kind."""
    quality: pd.Series
    names: tuple[str, str] = ("", "")
    """Of the axes, where they have a meaning."""
    title: str = ""
    """Where it is not that of the cloud."""
    has_quality: bool = True
    """Whether the quality is that of these two axes."""
    is_joined: bool = True
    """Whether a line leads from each position to the next."""

    @property
    def is_positional(self) -> bool:
        """Whether positions alone are shown, whose order is."""
        return set(self.rows["space"]) == {"positional"}


def map_figure(
    results: Mapping[str, Any],
    label: str,
    *,
    title: str,
    protocol: str,
    stage: str,
    panels: Sequence[Panel],
    n_named: int,
    height_mm: float,
) -> Figure:
    """Draw each panel with its quality under its title, the kinds of tokens in one legend."""
    figure, axes = new_figure(
        2,
        2,
        height_mm=height_mm,
        title=title,
        subtitle=f"{label} · {population(results['parquet'])} · {protocol}",
        stage=stage,
    )
    left_out = positions_left_out(results["parquet"])
    for ax, panel in zip(axes, panels, strict=False):
        ax.set_title(panel.title or TITLES[panel.cloud], loc="left")
        draw_map(figure, ax, panel, left_out if panel.cloud == "positional" else set())
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
    return figure


def legend_of_kinds(figure: Figure, axes: Sequence[Axes]) -> None:
    """Name the colors below all panels, by dots that are larger than those of the map."""
    legend_below(figure, axes, ncols=5, columnspacing=1, handletextpad=0.2)
    for handle in figure.legends[-1].legend_handles:
        if isinstance(handle, PathCollection):
            handle.set(sizes=[14], alpha=1)


def panels_of_maps(results: Mapping[str, Any]) -> list[Panel]:
    """Return the first two axes of each cloud's map."""
    coordinates, quality = with_kinds(results), results["quality"]
    found = quality[quality["n_axes"] == 2].set_index("cloud")
    return [
        Panel(str(name), rows, found.loc[str(name)])
        for name, rows in coordinates.groupby("cloud", sort=False)
    ]


def with_kinds(results: Mapping[str, Any]) -> pd.DataFrame:
    """Return the coordinates with the kind of each token; a position has none."""
    coordinates = results["parquet"]
    kinds = coordinates["id"].map(token_kinds(results[EXTRACTED])).fillna("other")
    return coordinates.assign(kind=kinds.where(coordinates["space"] == "input", ""))


def population(coordinates: pd.DataFrame) -> str:
    """Return how many tokens and positions the first cloud has."""
    first = coordinates[coordinates["cloud"] == coordinates["cloud"].iloc[0]]
    n = first["space"].value_counts()
    words = {"input": "token", "positional": "position"}
    return ", ".join(counted(n[space], noun) for space, noun in words.items() if space in n)


def finding(results: Mapping[str, Any], method: str) -> str:
    """Return which shares of the nearest neighbors a method's maps keep: of the truest map of all.

    Of positions, too, where the model has some.
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


def kept(row: pd.Series) -> str:
    """Return the quality of a map in words, what a random layout has in brackets."""
    return (
        f"{row['k']:.0f} nearest neighbors kept: {percent(row['neighbor_recall'])} "
        f"(chance {percent(row['chance_neighbor_recall'])})\n"
        f"trustworthiness {row['trustworthiness']:.2f}, continuity {row['continuity']:.2f} "
        f"(chance {row['chance_trustworthiness']:.2f})"
    )


def positions_left_out(coordinates: pd.DataFrame) -> set[int]:
    """Of the cloud of all positions, those that the structured ones lack."""
    ids = coordinates.groupby("cloud")["id"].agg(set)
    return ids.get("positional", set()) - ids.get("structured", set())


def draw_map(figure: Figure | None, ax: Axes, panel: Panel, left_out: set[int]) -> None:
    """Draw positions by their number, or tokens by their kind with positions on them.

    Into a figure goes a color bar of the positions.
    """
    if panel.is_positional:
        points = draw_positions(ax, panel.rows, left_out, in_order=panel.is_joined)
        if figure and np.asarray(points.get_offsets()).size:
            figure.colorbar(points, ax=ax, label="position", shrink=0.8, pad=0.01)
    else:
        draw_tokens(ax, panel.rows)
    without_axes(ax)
    ax.set_adjustable("box")
    if any(panel.names):  # distances mean something
        ax.spines[["left", "bottom"]].set_visible(True)
        ax.xaxis.set_major_locator(MaxNLocator(5))
        ax.yaxis.set_major_locator(MaxNLocator(5))
        ax.set_ylabel(panel.names[1], fontsize=7)


def draw_positions(
    ax: Axes, rows: pd.DataFrame, left_out: set[int], *, in_order: bool
) -> PathCollection:
    """Draw positions, with a line from each to the next; those that are left out are crosses."""
    is_out = rows["id"].isin(left_out)
    inside, outside = rows[~is_out], rows[is_out]
    if in_order:
        ax.plot(inside["x"], inside["y"], color="0.8", linewidth=0.4, zorder=0)
    if len(outside):
        look: dict[str, Any] = {"color": BLACK, "label": "unstructured positions"}
        ax.scatter(outside["x"], outside["y"], s=12, marker="x", linewidths=1, zorder=3, **look)
    return ax.scatter(
        inside["x"], inside["y"], c=inside["id"], cmap="viridis", s=4, rasterized=True
    )


def draw_tokens(ax: Axes, rows: pd.DataFrame) -> None:
    """Draw tokens by kind, most frequent kinds first, and positions on them."""
    tokens = rows[rows["space"] == "input"]
    for kind in tokens["kind"].value_counts().index:
        _dots(ax, tokens[tokens["kind"] == kind], TOKEN_KINDS[kind], POINTS)
    positions = rows[rows["space"] == "positional"]
    if len(positions):
        _dots(ax, positions, SPACES["positional"], 3 * POINTS)
    (left, right), (bottom, top) = _window(rows)
    ax.set(xlim=(left, right), ylim=(bottom, top))
    inside = rows["x"].between(left, right) & rows["y"].between(bottom, top)
    if not inside.all():
        words = f"{counted((~inside).sum(), 'vector')} outside"
        ax.text(1, 0.01, words, transform=ax.transAxes, ha="right", fontsize=7, color="0.3")


def _window(rows: pd.DataFrame) -> list[tuple[float, float]]:
    """Return where the map is cut: no side is much shorter than the other."""
    low, high = rows[["x", "y"]].quantile(CUT), rows[["x", "y"]].quantile(1 - CUT)
    middle, half = (low + high) / 2, 0.56 * (high - low)
    half = half.clip(lower=0.8 * half.max() or 1)
    return [(middle[axis] - half[axis], middle[axis] + half[axis]) for axis in ("x", "y")]


def _dots(ax: Axes, rows: pd.DataFrame, look: Look, size: float) -> None:
    look_of: dict[str, Any] = {"color": look.color, "alpha": ALPHA, "linewidths": 0, "s": size}
    ax.scatter(rows["x"], rows["y"], rasterized=True, label=look.name, **look_of)


def name_places(ax: Axes, rows: pd.DataFrame, n_named: int) -> None:
    """Name the densest places of a map, where no other name lies."""
    halo = [withStroke(linewidth=1.8, foreground="white")]
    look: dict[str, Any] = {"fontsize": 7, "ha": "center", "va": "center", "path_effects": halo}
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    taken: list[tuple[float, float, float]] = []
    for x, y, words in named_places(rows):
        half = min(0.011 * len(words), 0.5)
        # The whole name is inside the panel.
        across = float(np.clip((x - left) / (right - left), half, 1 - half))
        up = (y - bottom) / (top - bottom)
        free = all(abs(across - a) > half + h or abs(up - u) > 0.05 for a, u, h in taken)
        if len(taken) < n_named and free and 0 < up < 1:
            taken.append((across, up, half))
            ax.text(across, up, words, transform=ax.transAxes, **look).set_in_layout(False)


def named_places(rows: pd.DataFrame) -> list[tuple[float, float, str]]:
    """Return the densest places apart from one another, and their names; no name twice."""
    tokens = rows[(rows["space"] == "input") & (rows["kind"] != "special")]
    points = tokens[["x", "y"]].to_numpy(dtype=float)
    if len(points) < NEAREST:
        return []
    window = np.quantile(points, [CUT, 1 - CUT], axis=0).T
    counts, *edges = np.histogram2d(points[:, 0], points[:, 1], bins=GRID, range=window)
    fine, broad = gaussian_filter(counts, 1), gaussian_filter(counts, APART)
    contrast = fine**2 / (broad + 1e-9)  # a clump in an empty place is one, too
    is_peak = (contrast == maximum_filter(contrast, size=2 * APART)) & (fine > 0)
    cells = np.argwhere(is_peak)[np.argsort(-contrast[is_peak], kind="stable")]
    found: dict[str, tuple[float, float, str]] = {}
    for cell in cells:
        place = np.array([edge[[i, i + 1]].mean() for edge, i in zip(edges, cell, strict=True)])
        near = np.argsort(((points - place) ** 2).sum(axis=1), kind="stable")[:NEAREST]
        words = _name(tokens.iloc[near])
        found.setdefault(words, (*place, words))
    return list(found.values())


def _name(tokens: pd.DataFrame) -> str:
    """Return the kind of tokens where most are of one that is no word, else two of them."""
    shares = tokens["kind"].value_counts(normalize=True)
    if shares.iloc[0] >= ONE_KIND and shares.index[0] not in ("word", "other"):
        return TOKEN_KINDS[str(shares.index[0])].name
    spelled = tokens.loc[tokens["kind"].isin(["word", "subword", "number"]), "token"]
    return ", ".join(drawable(token) for token in spelled[:2])


def map_tables(results: Mapping[str, Any], label: str, method: str, stage: str, digits: int) -> str:
    """Return the tables of quality, and what the seed does where several were tried."""
    quality, lines = map(_with_names, (results["quality"], results["one_dimensionality"]))
    table = markdown_table(quality[[*OF_CLOUDS]].rename(columns=OF_CLOUDS), digits, ["chance"])
    sections = [
        f"# Maps of {label} by {method}\n\nStage `{stage}`.\n",
        section("Quality", QUALITY_NOTE, table),
    ]
    if "positional" not in set(results["quality"]["cloud"]):
        sections.append(f"{absent(label, 'positional')}\n")
    if not lines.empty:
        sections.append(
            section(
                "One-dimensionality of the positions",
                "Correlation of position with order along the minimum spanning tree of the map, "
                "and share of positions whose two nearest are the next ones.",
                markdown_table(lines[[*LINES]].rename(columns=LINES), digits, ["by chance"]),
            )
        )
    if "seeds" in results and not results["seeds"].empty:
        sections += _over_seeds(_with_names(results["seeds"]), digits)
    first, *others = sections[1:]
    return "\n".join([sections[0], first, *([folded("\n".join(others))] if others else [])])


def _with_names(table: pd.DataFrame) -> pd.DataFrame:
    if table.empty:
        return table
    return table.assign(cloud=[CLOUDS[cloud].name for cloud in table["cloud"]])


def _over_seeds(seeds: pd.DataFrame, digits: int) -> list[str]:
    """How much of a map is the seed's; of the line of positions, where the model has one."""
    sections = [
        section(
            "What the seed does",
            "Share of a point's nearest neighbors in one map that it has in the map of "
            "another seed: the same random points, the same settings.",
            markdown_table(seeds[[*SEEDS]].rename(columns=SEEDS), digits, ["chance"]),
        )
    ]
    if "median_order_correlation" in seeds:
        lines = seeds[[*LINES_OVER_SEEDS]].dropna()
        sections.append(
            section(
                "One-dimensionality by seed",
                "A map that tears the line in one place turns a part of the order round.",
                markdown_table(lines.rename(columns=LINES_OVER_SEEDS), digits),
            )
        )
    return sections
