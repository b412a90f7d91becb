"""Draws a map of sentence differences: points, and named arrows for their means."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from embspace.draw.page.canvas import say_instead
from embspace.draw.page.direct_labels import spread
from embspace.draw.page.looks import GRAY

COLORS = [f"C{number}" for number in range(6)]
MARKERS = "o^sDv"
CENTER = 1.6  # half the width of the enlarged center, in median lengths of an arrow
GAP = 0.075  # between two names, as a share of a panel's height
DOTS: dict[str, Any] = {"s": 12, "alpha": 0.45, "linewidths": 0, "rasterized": True}
HEAD: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 8, "shrinkA": 0, "shrinkB": 0}


def color_of(number: int) -> str:
    """Return the color of a category by its number; categories of one color differ in marker."""
    return COLORS[number % len(COLORS)]


def _marker(number: int) -> str:
    return MARKERS[number // len(COLORS) % len(MARKERS)]


def map_panels(axes: list[Axes], table: pd.DataFrame, summary: dict[str, Any]) -> None:
    """Draw all differences as points and their means as arrows from zero, and enlarge the center.

    Long arrows have their names in the first panel, the others in the second, if there are any.
    """
    if summary.get("explained_variance_1") is None:
        say_instead(axes, "no map: no two differences differ")
        return
    means = table[table["kind"] == "mean"].reset_index(drop=True)
    lengths = np.hypot(*means[["component_1", "component_2"]].to_numpy(np.float64).T)
    radius = max(CENTER * float(np.median(lengths)), 1e-12)
    is_long = lengths > radius
    is_long |= not is_long.any()  # all of like length: the first panel holds them all
    for ax, shown in zip(axes, (is_long, ~is_long), strict=True):
        for number, mean in enumerate(means.to_dict("records")):
            rows = table[(table["category"] == mean["category"]) & (table["kind"] == "difference")]
            _category(ax, rows, mean, number, is_named=bool(shown[number]))
        for number, key in enumerate(("explained_variance_1", "explained_variance_2"), 1):
            share = f"component {number} ({100 * summary[key]:.0f} %)"
            ax.set(**{"xlabel" if number == 1 else "ylabel": share})
    whole, center = axes
    _limit(whole, table)
    center.set(xlim=(-1.3 * radius, 1.3 * radius), ylim=(-radius, radius))
    for ax, shown in zip(axes, (is_long, ~is_long), strict=True):
        ax.set_aspect("equal", adjustable="datalim")
        _name(ax, means[shown])
        # Without it matplotlib warns that an equal aspect widens the limits.
        ax.set_autoscale_on(True)
    whole.set_title("Differences, and their means (arrows)")
    times = np.ptp(whole.get_xlim()) / np.ptp(center.get_xlim())
    center.set_title("The center" + (f", enlarged {times:.0f} times" if times > 1.5 else ""))


def _category(
    ax: Axes, rows: pd.DataFrame, mean: dict[Any, Any], number: int, *, is_named: bool
) -> None:
    color = color_of(number) if is_named else "0.75"
    x, y, dots = rows["component_1"], rows["component_2"], {"marker": _marker(number), **DOTS}
    ax.scatter(x, y, color=color, **dots)
    if is_named:
        tip = (mean["component_1"], mean["component_2"])
        ax.annotate("", tip, (0, 0), arrowprops={**HEAD, "color": color, "linewidth": 1.4})


def _limit(ax: Axes, table: pd.DataFrame) -> None:
    """Leave room for names on both sides."""
    x, y = table["component_1"], table["component_2"]
    width, height = max(np.ptp(x), 1e-12), max(np.ptp(y), 1e-12)
    ax.set(xlim=(x.min() - 0.25 * width, x.max() + 0.25 * width))
    ax.set(ylim=(y.min() - 0.06 * height, y.max() + 0.06 * height))


def _name(ax: Axes, means: pd.DataFrame) -> None:
    """Write the names at the arrow heads; where heads are close, in a column beside them."""
    gap = GAP * float(np.ptp(ax.get_ylim()))
    nudge = 0.015 * float(np.ptp(ax.get_xlim()))
    for side, alignment in ((-1, "right"), (1, "left")):
        named = means[(means["component_1"] >= 0) == (side > 0)]
        heights = spread(named["component_2"].to_numpy(np.float64), gap)
        column = side * (side * named["component_1"]).max()
        for row, height in zip(named.to_dict("records"), heights, strict=True):
            tip = (row["component_1"], row["component_2"])
            is_moved = abs(height - tip[1]) > 1e-3 * gap
            x = (column if is_moved else tip[0]) + side * nudge * (2 if is_moved else 1)
            if is_moved:
                # `plot` would find new limits.
                ax.add_line(Line2D([tip[0], x], [tip[1], height], color=GRAY, linewidth=0.5))
            ax.text(x, height, row["category"], ha=alignment, va="center", fontsize=7)
