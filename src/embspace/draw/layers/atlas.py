"""Figure and table of all families' measures of a model's layers, side by side."""

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import new_figure, say_instead
from embspace.draw.page.markdown import markdown_table, section

RESULTS = ("csv",)


def draw_atlas(
    results: dict[str, pd.DataFrame],
    label: str,
    *,
    row_height_mm: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """One row a measure, one column a layer.

    Numbers are the values; colors say where between its smallest and its largest a measure is at
    a layer, and compare nothing between rows.
    """
    rows = results["csv"]
    wide = rows.pivot_table("value", ["family", "measure"], "layer", sort=False)
    figure, axes = new_figure(
        1,
        1,
        height_mm=row_height_mm * max(len(wide), 4) + 32,
        title="The layers of a model, by all families of measures",
        subtitle=f"{label} · color: from the smallest to the largest of each row",
        stage="measure_atlas",
    )
    heading = f"# Atlas of {label}\n\nStage `measure_atlas`.\n"
    if wide.empty:
        say_instead(
            axes, f"{label}: the corpus was not profiled, see conf/measure/layers/atlas.yaml"
        )
        return figure, f"{heading}\nNone.\n"
    _heat_map(axes[0], wide)
    named = wide.reset_index()
    named = named.assign(**{key: named[key].str.replace("_", " ") for key in ("family", "measure")})
    named.columns = [each if isinstance(each, str) else f"layer {each}" for each in named]
    words = f"{int(rows['n'].max()):,} vectors of {int(rows['n_texts'].max()):,} texts."
    return figure, f"{heading}\n{section('All families', words, markdown_table(named, digits))}"


def _heat_map(ax: Axes, wide: pd.DataFrame) -> None:
    values = wide.to_numpy(dtype=float)
    low, high = (extreme(values, axis=1)[:, None] for extreme in (np.nanmin, np.nanmax))
    span = np.where(high > low, high - low, 1.0)
    names = [str(name).replace("_", " ") for _, name in wide.index]
    scaled = pd.DataFrame((values - low) / span, names, wide.columns)
    look = {"cmap": "viridis", "vmin": 0, "vmax": 1, "linewidths": 0.5, "cbar": False}
    numbers = {"annot": values, "fmt": ".3g", "annot_kws": {"fontsize": 7}}
    sns.heatmap(scaled, xticklabels=True, yticklabels=True, ax=ax, **look, **numbers)
    ax.tick_params(length=0, rotation=0)
    ax.grid(visible=False)
