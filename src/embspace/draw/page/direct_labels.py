"""Names lines at the ends, and moves overlapping names apart."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes

# From the middle of a name's left edge. Without a patch: at the box around a name, a steep lead
# would end above or below the word.
LEAD = {"linewidth": 0.6, "relpos": (0, 0.5), "patchA": None, "shrinkA": 2, "shrinkB": 0}


def name_lines(ax: Axes, gap: float = 0.055) -> None:
    """Write the labels of a panel's lines at the right edge, in the lines' colors.

    Args:
        ax: The panel, with final limits; lines without a label have no name.
        gap: Smallest distance of two names, as a share of the height.
    """
    named = [line for line in ax.lines if not str(line.get_label()).startswith("_")]
    ends = [float(np.asarray(line.get_ydata())[-1]) for line in named]
    name_ends(
        ax,
        [str(line.get_label()) for line in named],
        ends,
        [line.get_color() for line in named],
        gap,
    )


def name_ends(
    ax: Axes,
    names: Sequence[str],
    ends: Sequence[float],
    colors: Sequence[Any],
    gap: float = 0.055,
    *,
    between: tuple[float, float] = (1.0, 1.05),
) -> None:
    """Write names at the right of a panel, with leads to the named heights.

    Args:
        ax: The panel, with final limits and scale.
        names: The names, in any order.
        ends: The heights of the names' points, in the units of the panel.
        colors: The colors of names and leads.
        gap: Smallest distance of two names, as a share of the height.
        between: Where leads begin and names stand, as shares of the width.
    """
    scale = ax.yaxis.get_transform()
    low, high, *scaled = scale.transform(np.array([*ax.get_ylim(), *ends], dtype=np.float64))
    heights = [(place - low) / (high - low) for place in scaled]
    places = spread(heights, gap, gap / 2)  # above the axis
    for name, color, end, place in zip(names, colors, ends, places, strict=True):
        words = ax.annotate(
            name,
            (between[0], end),
            (between[1], place),
            ax.get_yaxis_transform(),
            textcoords=ax.transAxes,
            arrowprops={"arrowstyle": "-", "color": color, **LEAD},
        )
        words.set(color=color, fontsize=7, va="center")


def spread(
    wanted: Sequence[float] | Float[np.ndarray, " n"], gap: float, lowest: float = -np.inf
) -> Float[np.ndarray, " n"]:
    """Return places at least `gap` apart, in the order of the wanted places and nearest to them.

    Least squares: places that are too close form a block around their mean. None is below `lowest`.
    """
    wanted = np.asarray(wanted, dtype=np.float64)
    order = np.argsort(wanted, kind="stable")
    # With the gaps taken out, places may coincide but not change their order.
    steps = gap * np.arange(len(wanted))
    blocks: list[tuple[float, int]] = []
    for value in wanted[order] - steps:
        mean, n = float(value), 1
        while blocks and blocks[-1][0] > mean:
            other, n_other = blocks.pop()
            mean, n = (mean * n + other * n_other) / (n + n_other), n + n_other
        blocks.append((mean, n))
    places = np.empty(len(wanted))
    places[order] = np.repeat([mean for mean, _ in blocks], [n for _, n in blocks]) + steps
    places[order] = np.maximum(places[order], lowest + steps)
    return places
