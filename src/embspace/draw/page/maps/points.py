"""Draws the points of a map: tokens by kind, positions by number."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection

from embspace.draw.page.canvas import counted, without_axes
from embspace.draw.page.looks import BLACK, SPACES, TOKEN_KINDS, Look

POINTS = 0.5  # area of a token's dot, in square points
ALPHA = 0.6  # opacity of the dots, which lie on one another
CUT = 0.002  # share of vectors that each end of an axis leaves out, so that the rest has room


def draw_positions(
    ax: Axes, rows: pd.DataFrame, unstructured: set[int], *, is_joined: bool
) -> PathCollection:
    """Draw structured positions as dots, joined in order if `is_joined`, and others as crosses."""
    without_axes(ax)
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


def draw_tokens(ax: Axes, rows: pd.DataFrame) -> None:
    """Draw tokens by kind, the most frequent kind at the back, and positions in front."""
    without_axes(ax)
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
        ax.text(1, -0.01, words, transform=ax.transAxes, ha="right", fontsize=7, color="0.3")


def _window(rows: pd.DataFrame) -> list[tuple[float, float]]:
    """Return the limits of both axes, neither side much shorter than the other."""
    low, high = rows[["x", "y"]].quantile(CUT), rows[["x", "y"]].quantile(1 - CUT)
    middle, half = (low + high) / 2, 0.56 * (high - low)
    half = half.clip(lower=0.8 * half.max() or 1)
    return [(middle[axis] - half[axis], middle[axis] + half[axis]) for axis in ("x", "y")]


def _dots(ax: Axes, rows: pd.DataFrame, look: Look, size: float) -> None:
    """Draw one dot a row, without an edge."""
    look_of: dict[str, Any] = {"color": look.color, "alpha": ALPHA, "linewidths": 0, "s": size}
    ax.scatter(rows["x"], rows["y"], rasterized=True, label=look.name, **look_of)
