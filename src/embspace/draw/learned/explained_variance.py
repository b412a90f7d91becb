"""Figure and table of `measure_explained_variance`: Luisto's figure 11b."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import PercentFormatter, StrMethodFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import absent, counted, new_figure
from embspace.draw.page.looks import SPACES
from embspace.draw.page.markdown import markdown_table, section
from embspace.files.tables import Tables

RESULTS = ("curve.csv", "dimensions.csv")
CLOUDS = {
    "input": SPACES["input"],
    "positional": SPACES["positional"],
    "joint": ("both as one cloud", "C2"),
}
# Where two curves nearly meet, both are to be seen.
WIDTHS = {"input": 1.2, "positional": 1.2, "joint": 3.0}


def draw_explained_variance(
    results: Tables, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """The variance that the first components explain, beside isotropic vectors; a table."""
    curve, dimensions = results["curve"], results["dimensions"]
    shares = ", ".join(f"{100 * share:g}" for share in sorted(set(dimensions["share"])))
    figure, axes = new_figure(
        1,
        2,
        height_mm=height_mm,
        title="How many directions hold the variance",
        subtitle=f"{label} · centered PCA of the raw learned matrices · {_population(dimensions)} "
        f"· dots: {shares} %",
        stage="measure_explained_variance",
    )
    for ax, scale in zip(axes, ("linear", "log"), strict=True):
        for space in reversed(CLOUDS):
            _cumulate(ax, curve[curve["space"] == space], dimensions, space)
        ax.set(
            xscale=scale,
            xlabel="number of principal components" + (", logarithmic" if scale == "log" else ""),
            ylim=(0, 1.02),
        )
        ax.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
        ax.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes[0].set_ylabel("share of the variance explained")
    _legend(figure, axes[0])
    return figure, _table(dimensions, label, digits)


def _cumulate(ax: Axes, rows: pd.DataFrame, dimensions: pd.DataFrame, space: str) -> None:
    if rows.empty:
        return
    name, color, *_ = CLOUDS[space]
    x, y = rows["n_components"], rows["cumulative_explained_variance"]
    null = rows["null_cumulative_explained_variance"]
    width = WIDTHS[space]
    ax.plot(x, null, color=color, linewidth=width, linestyle="--")
    ax.plot(x, y, color=color, linewidth=width, label=name)
    marked = x.isin(dimensions.loc[dimensions["space"] == space, "n_components"])
    ax.plot(x[marked], y[marked], "o", color=color, markersize=3 + width)


def _legend(figure: Figure, ax: Axes) -> None:
    # Drawn from the back to the front, named from the front to the back.
    handles, names = (list(reversed(each)) for each in ax.get_legend_handles_labels())
    handles.append(Line2D([], [], color="0.3", linestyle="--"))
    names = [*names, "isotropic vectors"]
    figure.legend(
        handles,
        names,
        loc="outside lower left",
        ncols=len(names),
        columnspacing=1,
        handlelength=1.5,
    )


def _population(dimensions: pd.DataFrame) -> str:
    n = dimensions.drop_duplicates("space").set_index("space")
    parts = [counted(n["n"]["input"], "token")]
    if "positional" in n.index:
        parts.append(counted(n["n"]["positional"], "position"))
    return f"{' and '.join(parts)} in {counted(n['dim']['input'], 'dimension')}"


def _table(dimensions: pd.DataFrame, label: str, digits: int) -> str:
    has_positions = "positional" in set(dimensions["space"])
    return f"# Directions that hold the variance of {label}\n\n" + section(
        "Number of principal components",
        "Stage `measure_explained_variance`. As many as explain the share of the variance; the "
        "null is as many isotropic Gaussian vectors."
        + ("" if has_positions else f" {absent(label, 'positional')}"),
        markdown_table(dimensions, digits),
    )
