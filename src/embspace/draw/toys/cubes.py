"""Draws the dimension of cubes that `measure_cubes` reads: Luisto's figure 3."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, legend_below, new_figure, write_beside
from embspace.draw.page.looks import CUBES, Look
from embspace.draw.page.markdown import folded, markdown_table, section
from embspace.draw.page.saving import Results

STAGE = "measure_cubes"


def draw_cubes(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the explained variance of single cubes and of all, and dimensions read from it."""
    curve, dimensions = results["curve"], results["dimensions"]
    sizes = dimensions.drop_duplicates("cloud").set_index("cloud")
    subtitle = (
        f"{label} · three cubes in {counted(sizes['dim'].iloc[0], 'dimension')}, one "
        "shifted far along all of them, "
        f"{counted(sizes['n'].iloc[0], 'point')} each · centered PCA · lines in b: the truth · "
        "bars: other draws"
    )
    figure, axes = new_figure(
        1, 2, height_mm=height_mm, title=_finding(dimensions), subtitle=subtitle, stage=STAGE
    )
    for cloud, dimension in sizes["true_dimension"].items():
        own = CUBES[str(cloud)]
        name = own.name if cloud == "all" else f"{cloud}, {counted(dimension, 'dimension')}"
        _cumulate(axes[0], curve[curve["cloud"] == cloud], own, name)
    axes[0].set(title="Explained variance", xlabel="number of principal components", ylim=(0, 1.02))
    axes[0].set_ylabel("share of the variance explained")
    axes[0].yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    axes[0].xaxis.set_major_locator(MaxNLocator(integer=True))
    _readings(axes[1], dimensions)
    legend_below(figure, axes[:1], ncols=4)
    return figure, _table(dimensions, label, digits)


def _cumulate(ax: Axes, rows: pd.DataFrame, look: Look, name: str) -> None:
    x, y = rows["n_components"], rows["cumulative_explained_variance"]
    low, high = (rows[f"cumulative_explained_variance_{end}"] for end in ("low", "high"))
    ax.plot(x, y, color=look.color, marker=look.marker, markersize=4, label=name)
    ax.vlines(x, low, high, color=look.color, linewidth=6, alpha=0.35)


def _readings(ax: Axes, dimensions: pd.DataFrame) -> None:
    """Draw the dimension by every definition, with a line at the true dimension."""
    definitions = [_definition(row) for _, row in dimensions.iterrows()]
    places = {name: place for place, name in enumerate(dict.fromkeys(definitions))}
    shown = dimensions.assign(place=[places[name] for name in definitions])
    clouds = list(dict.fromkeys(dimensions["cloud"]))
    for number, cloud in enumerate(clouds):
        rows, look = shown[shown["cloud"] == cloud], CUBES[cloud]
        x = rows["place"] + 0.16 * (number - (len(clouds) - 1) / 2)
        ax.axhline(rows["true_dimension"].iloc[0], color=look.color, linewidth=0.8, zorder=0)
        ax.vlines(x, rows["dimension_low"], rows["dimension_high"], color=look.color, linewidth=2)
        ax.plot(x, rows["dimension"], look.marker, color=look.color, markersize=4)
        if cloud == "all":
            for place, (_, row) in zip(x, rows.iterrows(), strict=True):
                write_beside(ax, f"{row['dimension']:.2g}", (place, row["dimension"]), (4, 2))
    ax.set_xticks(list(places.values()), list(places))
    ax.set_xlabel("components for this share of the variance;\nparticipation ratio")
    ax.set(title="Dimension", ylabel="dimension", ylim=(0, None))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.grid(visible=False)


def _finding(dimensions: pd.DataFrame) -> str:
    """Return the title: the fewest dimensions of all cubes found by a share of the variance."""
    rows = dimensions[(dimensions["cloud"] == "all") & dimensions["share"].notna()]
    fewest, true = rows["dimension"].min(), rows["true_dimension"].iloc[0]
    return (
        f"Thresholds on the variance find as few as {fewest:.0f} of the {true:.0f} dimensions of "
        "the cubes together"
    )


def _definition(row: pd.Series) -> str:
    if row["definition"] == "participation_ratio":
        return "ratio"
    return f"{100 * row['share']:g} %"


def _table(dimensions: pd.DataFrame, label: str, digits: int) -> str:
    named = dimensions.assign(definition=dimensions["definition"].str.replace("_", " "))
    is_all = named["cloud"] == "all"
    note = (
        "Stage `measure_cubes`. The expected dimension is exact, of the uniform distribution; the "
        "interval is that of other draws of as many points."
    )
    together, single = (markdown_table(rows, digits) for rows in (named[is_all], named[~is_all]))
    heading = f"# Dimension of cubes, {label}\n\n"
    first = section("Dimension of all cubes together, read from the variance", note, together)
    rest = section("Dimension of each cube", "In the same way.", single)
    return f"{heading}{first}\n{folded(rest)}"
