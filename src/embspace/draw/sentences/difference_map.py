"""Draws a map of sentence differences: points, and named arrows for their means."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from embspace.draw.page.canvas import HALO, counted, say_instead
from embspace.draw.page.looks import BLACK, BLUE, GRAY, GREEN, VERMILION, YELLOW

COLORS = (BLUE, VERMILION, GREEN, BLACK, "#8C510A", YELLOW)  # none of a pooling's
SHORT = 0.2  # of the longest arrow: shorter ones cannot be seen
MARKERS = "o^sDv"
NAME_HEIGHT = 0.05  # as a share of a panel's height
NAME_WIDTH = 0.5  # of a character, as a share of that
DOTS: dict[str, Any] = {"s": 12, "alpha": 0.45, "linewidths": 0, "rasterized": True}
HEAD: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 8, "shrinkA": 0, "shrinkB": 0}


def color_of(number: int) -> str:
    """Return the color of a category by number; categories differ in marker, too."""
    return COLORS[number % len(COLORS)]


def draw_map(
    ax: Axes,
    table: pd.DataFrame,
    summary: dict[str, Any],
    shown: Sequence[str],
    titled: Sequence[str] = (),
) -> None:
    """Draw all differences as points, and the means of the `shown` categories as arrows from zero.

    If a title names categories, these alone have colors, also where their means are short in this
    plane and have no arrow. Without any category of `shown`, all are shown.
    """
    if summary.get("explained_variance_1") is None:
        say_instead([ax], "no map: no two differences differ")
        return
    means = table[table["kind"] == "mean"]
    is_shown = means["category"].isin([*shown, *titled])
    named = means[is_shown | (not is_shown.any())]
    lengths = np.hypot(named["component_1"], named["component_2"])
    is_long = lengths >= SHORT * lengths.max()
    colored = [*named.loc[named["category"].isin(titled) if titled else is_long, "category"]]
    colors = {name: color_of(number) for number, name in enumerate(colored)}
    points = table[table["kind"] == "difference"]
    others = points[~points["category"].isin(colored)]
    ax.scatter(others["component_1"], others["component_2"], color="0.75", **DOTS)
    for number, name in enumerate(colored):
        rows = points[points["category"] == name]
        ax.scatter(rows["component_1"], rows["component_2"], label=name, **_look(number), **DOTS)
    for mean in (long := named[is_long]).to_dict("records"):
        tip = (mean["component_1"], mean["component_2"])
        arrow = {**HEAD, "color": colors.get(mean["category"], GRAY), "linewidth": 1.4}
        ax.annotate("", tip, (0, 0), arrowprops=arrow)
    ax.set_xlabel(f"component 1 ({100 * summary['explained_variance_1']:.0f} %)")
    ax.set_ylabel(f"component 2 ({100 * summary['explained_variance_2']:.0f} %)")
    _limit(ax, table)
    ax.set_aspect("equal", adjustable="datalim")
    _name(ax, long, colors, points)
    _list_others(ax, colored, means, long, points)
    # Without it matplotlib warns that an equal aspect widens the limits.
    ax.set_autoscale_on(True)
    ax.set_title(f"Differences, with {counted(len(long), 'mean')} as arrows")


def _look(number: int) -> dict[str, Any]:
    return {"color": color_of(number), "marker": MARKERS[number % len(MARKERS)]}


def _list_others(
    ax: Axes, colored: Sequence[str], means: pd.DataFrame, long: pd.DataFrame, points: pd.DataFrame
) -> None:
    """List the categories without a name at an arrow, in the corner of the fewest points."""
    short = [name for name in colored if name not in set(long["category"])]
    dots: dict[str, Any] = {"ls": "None", "ms": 4}
    handles = [
        Line2D([], [], label=f"{name}, short in this plane", **_look(colored.index(name)), **dots)
        for name in short
    ]
    if n_gray := len(means) - len(colored):
        words = "one other category" if n_gray == 1 else f"{n_gray} other categories"
        handles.append(Line2D([], [], marker="o", color="0.75", label=words, **dots))
    if handles:
        ax.legend(handles=handles, handlelength=1, **_corner(ax, points))


def _corner(ax: Axes, points: pd.DataFrame) -> dict[str, Any]:
    """Return the corner of a panel with the fewest points, as the place of a legend."""
    middle = np.mean([ax.get_xlim(), ax.get_ylim()], axis=1)
    is_right, is_upper = (points[["component_1", "component_2"]].to_numpy() > middle).T
    sides = [(right, upper) for upper in (True, False) for right in (False, True)]
    n = [((is_right == right) & (is_upper == upper)).sum() for right, upper in sides]
    right, upper = sides[int(np.argmin(n))]
    return {"loc": f"{'upper' if upper else 'lower'} {'right' if right else 'left'}"}


def _limit(ax: Axes, table: pd.DataFrame) -> None:
    """Leave room for names on both sides."""
    x, y = table["component_1"], table["component_2"]
    width, height = max(np.ptp(x), 1e-12), max(np.ptp(y), 1e-12)
    ax.set(xlim=(x.min() - 0.25 * width, x.max() + 0.25 * width))
    ax.set(ylim=(y.min() - 0.06 * height, y.max() + 0.06 * height))


def _name(ax: Axes, means: pd.DataFrame, colors: Mapping[str, str], points: pd.DataFrame) -> None:
    """Write the names near the arrow heads, in the same color, where few points are hidden."""
    height = NAME_HEIGHT * float(np.ptp(ax.get_ylim()))
    tips = means[["component_1", "component_2"]].to_numpy(np.float64)
    taken = np.concatenate(
        [points[["component_1", "component_2"]], *(tips * part for part in np.linspace(0, 1, 30))]
    )
    for (x, y), name in zip(tips, means["category"], strict=True):
        width = NAME_WIDTH * height * len(name)
        places = [
            (x + dx, y + dy)
            for dy in np.arange(-8, 9) * height / 2
            for dx in (height / 2, -width - height / 2, -width / 2)
        ]
        left, middle = min(
            places,
            key=lambda place: (
                _n_within(taken, place, (width, height)),  # noqa: B023
                np.hypot(place[0] + width / 2 - x, place[1] - y),  # noqa: B023
            ),
        )
        look: dict[str, Any] = {"va": "center", "fontsize": 7, "path_effects": HALO}
        ax.text(left, middle, name, color=colors.get(name, GRAY), weight="bold", **look)
        box = np.linspace(left, left + width, 12)
        taken = np.concatenate(
            [taken, *(np.column_stack([box, box * 0 + middle + up * height / 3]) for up in (-1, 1))]
        )


def _n_within(points: np.ndarray, place: tuple[float, float], size: tuple[float, float]) -> int:
    """Return how many points lie in the box of words to the right of a place."""
    x, y = (points - place).T
    return int(((x >= -size[1] / 4) & (x <= size[0]) & (abs(y) <= size[1] / 2)).sum())
