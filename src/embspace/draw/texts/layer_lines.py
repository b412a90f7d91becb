"""Draws lines over the layers of a model, which several figures of the chapter share."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from embspace.draw.page.canvas import shade
from embspace.draw.page.looks import NULLS, Look

RANDOM = NULLS["random_initialization"]


def draw_by_layer(
    ax: Axes, rows: pd.DataFrame, quantity: str, look: Look, *, size: float = 4
) -> None:
    """Draw a quantity by layer, with a band where it has an interval."""
    _line(ax, rows, quantity, look, ms=size)
    if f"{quantity}_low" in rows:
        shade(ax, rows, "layer", quantity, color=look.color, alpha=0.2)


def draw_random_by_layer(ax: Axes, rows: pd.DataFrame, quantity: str, look: Look) -> None:
    """Draw a quantity at random weights by layer, with hollow markers and no band."""
    random = look._replace(name=f"{look.name}, {RANDOM.name}", line=RANDOM.line)
    _line(ax, rows, quantity, random, ms=3, markerfacecolor="none")


def _line(ax: Axes, rows: pd.DataFrame, quantity: str, look: Look, **style: Any) -> None:
    style |= {"color": look.color, "marker": look.marker, "ls": look.line, "label": look.name}
    ax.plot(rows["layer"], rows[quantity], **style)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
