"""Figure and table of `measure_cubes`: Luisto's figure 3."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, PercentFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, new_figure
from embspace.draw.page.markdown import markdown_table, section
from embspace.files.tables import Tables

RESULTS = ("curve.csv", "dimensions.csv")
RING: dict[str, Any] = {"marker": "o", "markersize": 6, "markerfacecolor": "none"}
COLORS = {"shifted": "C0", "turned": "C1", "flat": "C2", "all": "black"}


def draw_cubes(
    results: Tables, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Explained variance of each cube and of all together, beside what is exact; a table."""
    curve, dimensions = results["curve"], results["dimensions"]
    sizes = dimensions.drop_duplicates("cloud").set_index("cloud")
    figure, axes = new_figure(
        1,
        2,
        height_mm=height_mm,
        title="A known dimension, read from the explained variance",
        subtitle=f"{label} · three cubes in {counted(sizes['dim'].iloc[0], 'dimension')}, "
        f"{counted(sizes['n'].iloc[0], 'point')} each · centered PCA · bars: other draws of the "
        "points",
        stage="measure_cubes",
    )
    for cloud, dimension in sizes["true_dimension"].items():
        name = "all together" if cloud == "all" else f"{cloud}, {counted(dimension, 'dimension')}"
        _cumulate(axes[0], curve[curve["cloud"] == cloud], COLORS[str(cloud)], name)
    axes[0].set(xlabel="number of principal components", ylim=(0, 1.02))
    axes[0].set_ylabel("share of the variance explained")
    axes[0].yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    axes[0].xaxis.set_major_locator(MaxNLocator(integer=True))
    _readings(axes[1], dimensions)
    handles, names = axes[0].get_legend_handles_labels()
    handles.append(Line2D([], [], color="0.3", linestyle="--", **RING))
    # Narrow enough for the words at the foot of the figure to stand beside it.
    look: dict[str, Any] = {"columnspacing": 0.8, "handlelength": 1.5, "handletextpad": 0.5}
    figure.legend(handles, [*names, "exact"], loc="outside lower left", ncols=5, **look)
    return figure, _table(dimensions, label, digits)


def _cumulate(ax: Axes, rows: pd.DataFrame, color: str, name: str) -> None:
    x, y = rows["n_components"], rows["cumulative_explained_variance"]
    low, high = (rows[f"cumulative_explained_variance_{end}"] for end in ("low", "high"))
    ax.plot(x, rows["expected_cumulative_explained_variance"], color=color, linestyle="--")
    ax.plot(x, y, color=color, marker="o", markersize=3, label=name)
    ax.vlines(x, low, high, color=color, linewidth=6, alpha=0.35)


def _readings(ax: Axes, dimensions: pd.DataFrame) -> None:
    """The dimension by each definition, a group of dots each; lines where the truth is."""
    definitions = [_definition(row) for _, row in dimensions.iterrows()]
    places = {name: place for place, name in enumerate(dict.fromkeys(definitions))}
    shown = dimensions.assign(place=[places[name] for name in definitions])
    clouds = list(dict.fromkeys(dimensions["cloud"]))
    for number, cloud in enumerate(clouds):
        rows = shown[shown["cloud"] == cloud]
        x = rows["place"] + 0.16 * (number - (len(clouds) - 1) / 2)
        ax.axhline(rows["true_dimension"].iloc[0], color=COLORS[cloud], linewidth=0.6)
        ax.vlines(
            x, rows["dimension_low"], rows["dimension_high"], color=COLORS[cloud], linewidth=2
        )
        ax.plot(x, rows["dimension"], "o", color=COLORS[cloud], markersize=3)
        ax.plot(x, rows["expected_dimension"], color=COLORS[cloud], linestyle="none", **RING)
    ax.set_xticks(list(places.values()), list(places))
    ax.set(
        xlabel="components for this share of the variance;\nparticipation ratio",
        ylabel="dimension (thin lines: the truth)",
        ylim=(0, None),
    )
    ax.grid(visible=False, axis="x")


def _definition(row: pd.Series) -> str:
    if row["definition"] == "participation_ratio":
        return "ratio"
    return f"{100 * row['share']:g} %"


def _table(dimensions: pd.DataFrame, label: str, digits: int) -> str:
    words = dimensions["definition"].str.replace("_", " ")
    return f"# Dimension of cubes, {label}\n\n" + section(
        "Dimension read from the variance",
        "Stage `measure_cubes`. The expected dimension is exact, of the uniform distribution; the "
        "interval is that of other draws of as many points.",
        markdown_table(dimensions.assign(definition=words), digits),
    )
