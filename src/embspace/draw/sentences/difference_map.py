"""A map of differences: points, and arrows that carry their names."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from embspace.draw.page.canvas import say_instead
from embspace.draw.page.direct_labels import spread

COLORS = [f"C{number}" for number in range(6)]
MARKERS = "o^sDv"


def color_of(number: int) -> str:
    """Of a category; those that share a color have other markers and lines."""
    return COLORS[number % len(COLORS)]


def _marker(number: int) -> str:
    return MARKERS[number // len(COLORS) % len(MARKERS)]


def map_panel(ax: Axes, table: pd.DataFrame, summary: dict[str, Any]) -> None:
    """Differences as points, means of categories as arrows from no difference at all."""
    if summary.get("explained_variance_1") is None:
        say_instead([ax], "no map: no two differences differ")
        return
    means = table[table["kind"] == "mean"].reset_index(drop=True)
    for number, category in enumerate(means["category"]):
        rows = table[(table["category"] == category) & (table["kind"] == "difference")]
        ax.scatter(
            rows["component_1"],
            rows["component_2"],
            s=10,
            marker=_marker(number),
            color=color_of(number),
            alpha=0.45,
            linewidths=0,
            rasterized=True,
        )
    for number, mean in enumerate(means.to_dict("records")):
        tip = (mean["component_1"], mean["component_2"])
        arrow = {
            "arrowstyle": "-|>",
            "mutation_scale": 7,
            "color": color_of(number),
            "linewidth": 1.4,
            "shrinkA": 0,
            "shrinkB": 0,
        }
        ax.annotate("", tip, (0, 0), arrowprops=arrow)
    _name_arrows(ax, table, means)
    axes = [("x", "explained_variance_1"), ("y", "explained_variance_2")]
    for number, (axis, key) in enumerate(axes, 1):
        share = f"{100 * summary[key]:.0f} % of variance"
        getattr(ax, f"set_{axis}label")(f"component {number}, {share}")
    ax.set_title("Differences and their means (arrows)", loc="left")
    ax.set_aspect("equal")


def _name_arrows(ax: Axes, table: pd.DataFrame, means: pd.DataFrame) -> None:
    """Names to the left and right of all points, each with a line to the tip of its arrow."""
    x, y = table["component_1"], table["component_2"]
    width, height = float(np.ptp(x)), float(np.ptp(y))
    room = max(0.34 * width, 0.3 * height)
    all_places = [float(y.min()), float(y.max())]
    for side, edge, alignment in ((-1, x.min(), "right"), (1, x.max(), "left")):
        named = means[(means["component_1"] >= 0) == (side > 0)]
        places = spread(named["component_2"].to_numpy(np.float64), 0.15 * height)
        all_places += places.tolist()
        for number, place in zip(named.index, places, strict=True):
            beside = edge + side * 0.15 * room
            tip = (named.loc[number, "component_1"], named.loc[number, "component_2"])
            ax.plot(
                [tip[0], beside], [tip[1], place], color=color_of(number), linewidth=0.5, zorder=1
            )
            ax.plot(beside, place, marker=_marker(number), color=color_of(number), markersize=3.5)
            ax.text(
                edge + side * 0.26 * room,
                place,
                str(named.loc[number, "category"]).replace("-", "-\n", 1),
                ha=alignment,
                va="center",
                fontsize=6,
                linespacing=0.9,
            )
    ax.set_xlim(x.min() - room, x.max() + room)
    ax.set_ylim(min(all_places) - 0.06 * height, max(all_places) + 0.06 * height)
