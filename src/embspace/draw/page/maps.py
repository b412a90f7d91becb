"""Maps of the clouds of a model, each with how far it can be trusted."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from embspace.draw.page.canvas import (
    absent,
    legend_below,
    new_figure,
    say_absent,
    say_instead,
    without_axes,
)
from embspace.draw.page.looks import CLOUDS, SPACES
from embspace.draw.page.markdown import markdown_table, same, section

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
POINTS = 0.3  # area of a token's dot, in square points


def map_figure(
    results: Mapping[str, Any], label: str, method: str, stage: str, height_mm: float, digits: int
) -> tuple[Figure, str]:
    """The first two axes of each cloud's map, and tables of quality."""
    coordinates, quality = results["parquet"], results["quality"]
    names = list(dict.fromkeys(coordinates["cloud"]))
    k = int(quality["k"].max())
    figure, axes = new_figure(
        2,
        2,
        height_mm=height_mm,
        title=f"The learned vectors by {method}",
        subtitle=f"{label} · T trustworthiness, C continuity, R recall of the {k} nearest "
        "neighbors; in brackets what a random layout has",
        stage=stage,
    )
    for ax, name in zip(axes, names, strict=False):
        rows = coordinates[coordinates["cloud"] == name]
        row = quality[(quality["cloud"] == name) & (quality["n_axes"] == 2)].iloc[0]
        ax.set_title(CLOUDS[name][0], loc="left", pad=14)
        ax.text(0, 1.01, _trust(row), transform=ax.transAxes, fontsize=6.5, color="0.3")
        _scatter(figure, ax, rows, _left_out(coordinates, name))
    legend_below(figure, axes, ncols=3, markerscale=3)
    if "positional" not in names:
        say_absent(axes[len(names) :], label, "positional")
    elif "structured" not in names:
        say_instead(axes[len(names) :], "no structured positions")
    return figure, _tables(results, label, method, stage, digits)


def _trust(row: pd.Series) -> str:
    return (
        f"T {row['trustworthiness']:.3f} [{row['chance_trustworthiness']:.3f}]   "
        f"C {row['continuity']:.3f} [{row['chance_continuity']:.3f}]   "
        f"R {row['neighbor_recall']:.3f} [{row['chance_neighbor_recall']:.4f}]"
    )


def _left_out(coordinates: pd.DataFrame, name: str) -> set[int]:
    """Of the cloud of all positions, those that the structured ones lack."""
    if name != "positional":
        return set()
    kept = coordinates.loc[coordinates["cloud"] == "structured", "id"]
    return set(coordinates.loc[coordinates["cloud"] == name, "id"]) - set(kept)


def _scatter(figure: Figure, ax: Axes, rows: pd.DataFrame, left_out: set[int]) -> None:
    if set(rows["space"]) == {"positional"}:
        inside = rows[~rows["id"].isin(left_out)]
        ax.plot(inside["x"], inside["y"], color="0.8", linewidth=0.4, zorder=0)
        points = ax.scatter(
            inside["x"], inside["y"], c=inside["id"], cmap="viridis", s=4, rasterized=True
        )
        if len(inside):
            figure.colorbar(points, ax=ax, label="position", shrink=0.8)
        outside = rows[rows["id"].isin(left_out)]
        if len(outside):
            name = "outlying or unstructured"
            ax.scatter(
                outside["x"], outside["y"], s=8, marker="x", linewidths=1, color="C3", label=name
            )
    else:
        for space, part in rows.groupby("space", sort=False):
            name, color, *_ = SPACES[str(space)]
            size = POINTS if space == "input" else 6 * POINTS
            ax.scatter(
                part["x"], part["y"], s=size, color=color, linewidths=0, rasterized=True, label=name
            )
    without_axes(ax)


def _tables(results: Mapping[str, Any], label: str, method: str, stage: str, digits: int) -> str:
    quality, lines = results["quality"], results["one_dimensionality"]
    table = markdown_table(quality[[*OF_CLOUDS]].rename(columns=OF_CLOUDS), digits, ["chance"])
    sections = [
        f"# Maps of {label} by {method}\n\nStage `{stage}`.\n",
        section("Quality", QUALITY_NOTE, table),
    ]
    if "positional" not in set(quality["cloud"]):
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
        sections += _over_seeds(results["seeds"], digits)
    return "\n".join(sections)


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
