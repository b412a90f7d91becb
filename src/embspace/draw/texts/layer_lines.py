"""Draws lines over the layers of a model, which several figures of the chapter share."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from embspace.draw.page.canvas import draw_line
from embspace.draw.page.looks import NULLS, OWN_VECTOR, TEXT_POOLINGS, Look

RANDOM = NULLS["random_initialization"]
EMBEDDINGS = {name: look.name for name, look in TEXT_POOLINGS.items()}
EMBEDDINGS |= {"tf_idf": "TF-IDF", "bm25": "BM25", "bag_of_words": "words alone"}
EMBEDDINGS |= {"sentence": OWN_VECTOR.name}
LAYER = "layer (0: embedding output)"


def draw_by_layer(
    ax: Axes, rows: pd.DataFrame, quantity: str, look: Look, *, size: float = 4
) -> None:
    """Draw a quantity by layer, with a band where it has an interval."""
    draw_line(ax, rows, "layer", quantity, look, ms=size)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def draw_random_by_layer(ax: Axes, rows: pd.DataFrame, quantity: str, look: Look) -> None:
    """Draw a quantity at random weights by layer: gray, with marker and name of its pooling."""
    random = look._replace(name=f"{RANDOM.name}, {look.name}", color=RANDOM.color, line=RANDOM.line)
    draw_line(ax, rows, "layer", quantity, random, 0, ms=3, markerfacecolor="none", lw=0.9)


def draw_level(ax: Axes, value: float, name: str, line: Any = "-", color: str = "0.3") -> None:
    """Draw values without a layer as levels over all layers."""
    ax.axhline(value, color=color, linestyle=line, linewidth=1, label=name)
