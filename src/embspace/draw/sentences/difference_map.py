"""Draws a map of sentence differences: points, and named arrows for their means."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from embspace.draw.page.canvas import HALO, say_instead
from embspace.draw.page.direct_labels import spread
from embspace.draw.page.looks import BLACK, BLUE, GRAY, GREEN, VERMILION, YELLOW

COLORS = (BLUE, VERMILION, GREEN, BLACK, "#8C510A", YELLOW)  # none of a pooling's
SHORT = 0.2  # of the longest arrow: shorter ones cannot be seen
MARKERS = "o^sDv"
GAP = 0.084  # between two names, as a share of a panel's height
DOTS: dict[str, Any] = {"s": 12, "alpha": 0.45, "linewidths": 0, "rasterized": True}
HEAD: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 8, "shrinkA": 0, "shrinkB": 0}


def color_of(number: int) -> str:
    """Return the color of a category by number; categories differ in marker, too."""
    return COLORS[number % len(COLORS)]


def draw_map(ax: Axes, table: pd.DataFrame, summary: dict[str, Any], shown: Sequence[str]) -> None:
    """Draw all differences as points, and the means of the `shown` categories as arrows from zero.

    Differences of other categories, and of those whose mean is short in this plane, are gray.
    Without any category of `shown`, all are shown.
    """
    if summary.get("explained_variance_1") is None:
        say_instead([ax], "no map: no two differences differ")
        return
    means = table[table["kind"] == "mean"]
    is_shown = means["category"].isin(shown)
    named = means[is_shown | (not is_shown.any())]
    lengths = np.hypot(named["component_1"], named["component_2"])
    is_short = lengths < SHORT * lengths.max()
    long = named[~is_short]
    points = table[table["kind"] == "difference"]
    others = points[~points["category"].isin(long["category"])]
    ax.scatter(others["component_1"], others["component_2"], color="0.75", **DOTS)
    for number, mean in enumerate(long.to_dict("records")):
        _category(ax, points[points["category"] == mean["category"]], mean, number)
    ax.set_xlabel(f"component 1 ({100 * summary['explained_variance_1']:.0f} %)")
    ax.set_ylabel(f"component 2 ({100 * summary['explained_variance_2']:.0f} %)")
    _limit(ax, table)
    ax.set_aspect("equal", adjustable="datalim")
    _name(ax, long, {name: color_of(number) for number, name in enumerate(long["category"])})
    if len(means) > len(long):
        words = _gray([*named.loc[is_short, "category"]], len(means) - len(named))
        corner = _corner(ax, points)
        ax.text(s=words, transform=ax.transAxes, color="0.4", path_effects=HALO, **corner)
    # Without it matplotlib warns that an equal aspect widens the limits.
    ax.set_autoscale_on(True)
    ax.set_title(f"Differences, with {len(long)} means as arrows")


def _gray(short: Sequence[str], n_others: int) -> str:
    """Return in words which categories are gray."""
    lines = ["gray:"] + [f"{name}," for name in short]
    lines += ["short in this plane"] if short else []
    others = "one other category" if n_others == 1 else f"{n_others} other categories"
    return "\n".join([*lines, f"and {others}" if short else others] if n_others else lines)


def _corner(ax: Axes, points: pd.DataFrame) -> dict[str, Any]:
    """Return the corner of a panel with the fewest points, as the place of words."""
    middle = np.mean([ax.get_xlim(), ax.get_ylim()], axis=1)
    is_right, is_upper = (points[["component_1", "component_2"]].to_numpy() > middle).T
    sides = [(right, upper) for upper in (True, False) for right in (False, True)]
    n = [((is_right == right) & (is_upper == upper)).sum() for right, upper in sides]
    right, upper = sides[int(np.argmin(n))]
    aligned = {"ha": "right" if right else "left", "va": "top" if upper else "bottom"}
    return {"x": 0.98 if right else 0.02, "y": 0.98 if upper else 0.02, "fontsize": 7, **aligned}


def _category(ax: Axes, rows: pd.DataFrame, mean: dict[Any, Any], number: int) -> None:
    color, marker = color_of(number), MARKERS[number % len(MARKERS)]
    ax.scatter(rows["component_1"], rows["component_2"], color=color, marker=marker, **DOTS)
    tip = (mean["component_1"], mean["component_2"])
    ax.annotate("", tip, (0, 0), arrowprops={**HEAD, "color": color, "linewidth": 1.4})


def _limit(ax: Axes, table: pd.DataFrame) -> None:
    """Leave room for names on both sides."""
    x, y = table["component_1"], table["component_2"]
    width, height = max(np.ptp(x), 1e-12), max(np.ptp(y), 1e-12)
    ax.set(xlim=(x.min() - 0.25 * width, x.max() + 0.25 * width))
    ax.set(ylim=(y.min() - 0.06 * height, y.max() + 0.06 * height))


def _name(ax: Axes, means: pd.DataFrame, colors: Mapping[str, str]) -> None:
    """Write the names at the arrow heads, in their color; of close heads in a column beside."""
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
            look: dict[str, Any] = {"va": "center", "fontsize": 7, "path_effects": HALO}
            color = colors[row["category"]]
            ax.text(x, height, row["category"], ha=alignment, color=color, weight="bold", **look)
