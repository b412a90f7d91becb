"""Names lines at their ends, and moves names that stand beside what they name apart."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes


def name_lines(ax: Axes, gap: float = 0.055) -> None:
    """Write the labels of the lines of a panel at its right edge, in their colors.

    Args:
        ax: The panel, with its final limits; lines without a label have no name.
        gap: Smallest distance of two names, as a share of the height.
    """
    named = [line for line in ax.lines if not str(line.get_label()).startswith("_")]
    ends = [float(np.asarray(line.get_ydata())[-1]) for line in named]
    low, high = ax.get_ylim()
    heights = [(end - low) / (high - low) for end in ends]
    for line, end, place in zip(named, ends, spread(heights, gap), strict=True):
        color = line.get_color()
        lead = {"arrowstyle": "-", "color": color, "linewidth": 0.6, "shrinkB": 0}
        words = ax.annotate(
            str(line.get_label()),
            (1, end),
            (1.05, place),
            ax.get_yaxis_transform(),
            textcoords=ax.transAxes,
            arrowprops=lead,
        )
        words.set(color=color, fontsize=7, va="center")


def spread(
    wanted: Sequence[float] | Float[np.ndarray, " n"], gap: float, lowest: float = -np.inf
) -> Float[np.ndarray, " n"]:
    """Return places at least `gap` apart, in the order of the wanted ones and nearest to them.

    Least squares: what is too close forms a block around its own mean. None is below `lowest`.
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
