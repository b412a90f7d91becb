"""Names heads and their features for readers, and draws values of all heads as a map."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

LONGEST = 10  # characters of a token beside a map
FEATURE_NAMES = {
    "self_mass": "mass to the token itself",
    "previous_mass": "mass to the previous token",
    "next_mass": "mass to the next token",
    "diagonal_mass": "mass to itself and both neighbors",
    "backward_mass": "mass to earlier tokens",
    "forward_mass": "mass to later tokens",
    "first_token_mass": "mass to the first token",
    "separator_mass": "mass to the separator",
    "punctuation_mass": "mass to punctuation",
    "column_mass": "mass to the fullest columns",
    "sink_strength": "sink strength",
    "row_entropy": "row entropy",
    "value_entropy": "value-histogram entropy (nats)",
    "k_share": "keys that hold the mass",
    "rank_share": "rank over n",
    "effective_rank_share": "effective rank over n",
    "block_score": "block score",
    "block_excess": "blocks beyond distance",
    "article_mass": "mass from noun to article",
    "article_mass_elsewhere": "same offsets, other tokens",
    "article_excess": "noun to its article",
}


def head_name(layer: Any, head: Any) -> str:
    """Return the name of a head: its layer and its number within the layer, both from 1."""
    return f"{int(layer)}.{int(head)}"


def draw_map(ax: Axes, attention: np.ndarray, tokens: Sequence[str], title: str) -> None:
    """Draw the map of one head, query by key, with its tokens, from 0 to 1."""
    import seaborn as sns

    look: dict[str, Any] = {"vmin": 0, "vmax": 1, "cmap": "mako_r", "cbar": False}
    look |= {"square": True, "rasterized": True, "xticklabels": False, "yticklabels": False}
    with _alone(ax):
        sns.heatmap(attention, ax=ax, **look)
    places = np.arange(len(tokens)) + 0.5
    names = [token[:LONGEST] for token in tokens]
    ax.set_xticks(places, names, rotation=90)
    ax.set_yticks(places, names)
    ax.tick_params(length=0, pad=1)
    ax.set(title=title, xlabel="", ylabel="")


@contextmanager
def _alone(ax: Axes) -> Iterator[None]:
    """Hide the remaining panels: seaborn draws the whole figure for every map."""
    figure = _figure_of(ax)
    engine, others = figure.get_layout_engine(), [panel for panel in figure.axes if panel is not ax]
    figure.set_layout_engine("none")
    for panel in others:
        panel.set_visible(False)
    yield
    for panel in others:
        panel.set_visible(True)
    figure.set_layout_engine(engine)


def _figure_of(ax: Axes) -> Figure:
    assert isinstance(ax.figure, Figure)
    return ax.figure
