"""Draws the points of a map: tokens by kind, positions by number."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from embspace.draw.page.canvas import counted, legend_below, without_axes
from embspace.draw.page.looks import BLACK, SPACES, TOKEN_KINDS, Look
from embspace.draw.page.maps.panels import Panel

POINTS = 0.5  # area of a token's dot, in square points
ALPHA = 0.6  # opacity of the dots, which lie on one another
CUT = 0.002  # share of vectors that each end of an axis leaves out, so that the rest has room


def draw_map(figure: Figure | None, ax: Axes, panel: Panel, unstructured: set[int]) -> None:
    """Draw positions by their number, or tokens by their kind with positions on them.

    A figure gets a color bar of the positions.
    """
    if panel.is_positional:
        points = _draw_positions(ax, panel.rows, unstructured, is_joined=panel.is_joined)
        if figure and np.asarray(points.get_offsets()).size:
            pad = 0.05 if any(panel.names) else 0.01  # the last tick's label needs room
            figure.colorbar(points, ax=ax, label="position", shrink=0.8, pad=pad)
    else:
        _draw_tokens(ax, panel.rows)
    without_axes(ax)
    ax.set(adjustable="box", anchor="N")  # titles of a row stand at one height
    if any(panel.names):  # distances mean something
        ax.spines[["left", "bottom"]].set_visible(True)
        ax.xaxis.set_major_locator(MaxNLocator(5))
        ax.yaxis.set_major_locator(MaxNLocator(5))
        ax.set_ylabel(panel.names[1], fontsize=7)


def _draw_positions(
    ax: Axes, rows: pd.DataFrame, unstructured: set[int], *, is_joined: bool
) -> PathCollection:
    """Draw structured positions as dots, which a line may join in order, and others as crosses."""
    is_out = rows["id"].isin(unstructured)
    inside, outside = rows[~is_out], rows[is_out]
    if is_joined:
        ax.plot(inside["x"], inside["y"], color="0.8", linewidth=0.4, zorder=0)
    if len(outside):
        look: dict[str, Any] = {"color": BLACK, "label": "positions not structured"}
        ax.scatter(outside["x"], outside["y"], s=12, marker="x", linewidths=1, zorder=3, **look)
    return ax.scatter(
        inside["x"], inside["y"], c=inside["id"], cmap="viridis", s=4, rasterized=True
    )


def _draw_tokens(ax: Axes, rows: pd.DataFrame) -> None:
    """Draw tokens by kind, the most frequent kind at the back, and positions in front."""
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
    """Return the limits of both axes, such that no side is much shorter than the other."""
    low, high = rows[["x", "y"]].quantile(CUT), rows[["x", "y"]].quantile(1 - CUT)
    middle, half = (low + high) / 2, 0.56 * (high - low)
    half = half.clip(lower=0.8 * half.max() or 1)
    return [(middle[axis] - half[axis], middle[axis] + half[axis]) for axis in ("x", "y")]


def _dots(ax: Axes, rows: pd.DataFrame, look: Look, size: float) -> None:
    """Draw one dot a row, without an edge."""
    look_of: dict[str, Any] = {"color": look.color, "alpha": ALPHA, "linewidths": 0, "s": size}
    ax.scatter(rows["x"], rows["y"], rasterized=True, label=look.name, **look_of)


def legend_of_kinds(figure: Figure, axes: Sequence[Axes]) -> None:
    """Name the colors below all panels, by dots that are larger than those of the map."""
    legend_below(figure, axes, ncols=5, columnspacing=1, handletextpad=0.2)
    for handle in figure.legends[-1].legend_handles:
        if isinstance(handle, PathCollection):
            handle.set(sizes=[14], alpha=1)
