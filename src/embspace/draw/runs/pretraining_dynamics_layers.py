"""Draws how measures of a model's layers go over its published training."""

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from embspace.draw.page.canvas import new_figure, say_instead, sentence_case
from embspace.draw.page.measure_names import name_of
from embspace.draw.runs.steps import show_steps

RAMP = "crest"  # of layers


def draw_over_training(
    rows: pd.DataFrame, height_mm: float, *, title: str, subtitle: str, stage: str
) -> Figure:
    """Draw a panel a measure: a line a layer over the steps, and the mean of the blocks."""
    measures = list(dict.fromkeys(rows["measure"])) if len(rows) else []
    figure, axes = new_figure(
        1, max(len(measures), 1), height_mm=height_mm, title=title, subtitle=subtitle, stage=stage
    )
    if not measures:
        say_instead(axes, "too few documents, or nothing was trained")
        return figure
    import seaborn  # noqa: F401  # whose ramp of colors matplotlib then has

    layers = Normalize(rows["layer"].min(), rows["layer"].max())
    for ax, measure in zip(axes, measures, strict=True):
        _lines(ax, rows[rows["measure"] == measure], layers)
        ax.set_title(sentence_case(name_of(measure)))
    bar = figure.colorbar(ScalarMappable(layers, RAMP), ax=[*axes], label="layer", pad=0.01)
    bar.locator = MaxNLocator(integer=True)
    bar.outline.set_visible(False)
    return figure


def _lines(ax: Axes, rows: pd.DataFrame, layers: Normalize) -> None:
    for layer, line in rows.groupby("layer"):
        color = colormaps[RAMP](layers(float(np.float64(str(layer)))))
        ax.plot(line["step"], line["value"], color=color, marker="o", ms=2, lw=0.8)
    show_steps(ax, rows["step"])
