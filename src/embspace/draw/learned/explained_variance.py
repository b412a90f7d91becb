"""Draws the figure and the table of `measure_explained_variance`, after Luisto's figure 11b."""

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import PercentFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import absent, count, counted, new_figure, write_beside
from embspace.draw.page.looks import CLOUDS as ALL_CLOUDS
from embspace.draw.page.looks import SPACES, Look, names
from embspace.draw.page.markdown import markdown_table, section
from embspace.draw.page.saving import Results

CLOUDS = {
    "input": SPACES["input"],
    "positional": SPACES["positional"],
    "joint": ALL_CLOUDS["joint"]._replace(name="both as one cloud"),
}
# Two curves that nearly meet are both seen if one is wider.
NEARLY = 0.95  # of the directions of isotropic vectors: no fewer than by chance
WIDTHS = {"input": 1.2, "positional": 1.2, "joint": 3.0}


def draw_explained_variance(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the variance that the first components explain, beside that of isotropic vectors."""
    curve, dimensions = results["curve"], results["dimensions"]
    shares = ", ".join(f"{100 * share:g}" for share in sorted(set(dimensions["share"])))
    figure, (ax,) = new_figure(
        1,
        1,
        height_mm=height_mm,
        title=_finding(dimensions),
        subtitle=f"{label} · centered PCA of the raw learned matrices · {_population(dimensions)} "
        f"· numbers: components that hold {shares} %",
        stage="measure_explained_variance",
    )
    for space in reversed(CLOUDS):
        _cumulate(ax, curve[curve["space"] == space], dimensions, space)
    dim = int(dimensions["dim"].max())
    ax.set(xlim=(0, dim), ylim=(0, 1.03), xlabel="number of principal components")
    ax.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    ax.set_ylabel("share of the variance explained")
    _legend(ax)
    return figure, _table(results, label, digits)


def _finding(dimensions: pd.DataFrame) -> str:
    """Return the title: how many components hold the largest share of variance below 95 %."""
    shares = dimensions["share"]
    share = shares[shares < 0.95].max() if (shares < 0.95).any() else shares.min()
    rows = dimensions[shares == share].dropna(subset="n_components").set_index("space")
    n, words = rows["n_components"], f"{100 * share:g} % of the variance of"
    own = rows.index.difference(["joint"])
    is_null = bool((n[own] >= NEARLY * rows.loc[own, "null_n_components"]).all())
    beside = ", nearly as many as of isotropic vectors" if is_null else ""
    if "positional" not in rows.index:
        return f"{words} tokens lies in {counted(n['input'], 'direction')}{beside}"
    positions = counted(n["positional"], "direction")
    return f"{words} positions lies in {positions}, of tokens in {count(n['input'])}{beside}"


def _cumulate(ax: Axes, rows: pd.DataFrame, dimensions: pd.DataFrame, space: str) -> None:
    if rows.empty:
        return
    look, width = CLOUDS[space], WIDTHS[space]
    alpha = 0.35 if space == "joint" else 1.0
    x, y = rows["n_components"], rows["cumulative_explained_variance"]
    null = rows["null_cumulative_explained_variance"]
    ax.plot(x, null, color=look.color, linewidth=width, linestyle="--", alpha=alpha)
    if space == "joint":  # its curve is nearly that of the tokens, and so are its numbers
        ax.plot(x, y, color=look.color, linewidth=width, label=look.name, alpha=alpha)
        return
    marked = x.isin(dimensions.loc[dimensions["space"] == space, "n_components"])
    marks: dict[str, Any] = {"marker": look.marker, "ms": 3 + width, "markevery": marked.to_list()}
    ax.plot(x, y, color=look.color, linewidth=width, label=look.name, **marks)
    _number(ax, x[marked].to_numpy(), y[marked].to_numpy(), look)


def _number(ax: Axes, x: Int[np.ndarray, " n"], y: Float[np.ndarray, " n"], look: Look) -> None:
    """Write the numbers below the dots, in one text for dots that lie close together."""
    gap = 0.03 * x.max(initial=1)
    starts = [0, *(np.flatnonzero(np.diff(x) > gap) + 1)] if len(x) else []
    for start, end in pairwise([*starts, len(x)]):
        words = ", ".join(map(count, x[start:end]))
        write_beside(ax, words, (x[end - 1], y[start]), (5, -10), color=look.color)


def _legend(ax: Axes) -> None:
    # Drawn from the back to the front, named from the front to the back.
    handles, names = (list(reversed(each)) for each in ax.get_legend_handles_labels())
    handles.append(Line2D([], [], color="0.3", linestyle="--"))
    ax.legend(handles, [*names, "isotropic Gaussian, same n"], loc="lower right")


def _population(dimensions: pd.DataFrame) -> str:
    n = dimensions.drop_duplicates("space").set_index("space")
    parts = [counted(n["n"]["input"], "token")]
    if "positional" in n.index:
        parts.append(counted(n["n"]["positional"], "position"))
    return f"{' and '.join(parts)} in {counted(n['dim']['input'], 'dimension')}"


def _table(results: Results, label: str, digits: int) -> str:
    has_positions = "positional" in set(results["dimensions"]["space"])
    named = results.for_readers("dimensions", space=names(CLOUDS))
    return f"# Directions that hold the variance of {label}\n\n" + section(
        "Number of principal components",
        "Stage `measure_explained_variance`. As many as explain the share of the variance; the "
        "null is as many isotropic Gaussian vectors."
        + ("" if has_positions else f" {absent(label, 'positional')}"),
        markdown_table(named, digits),
    )
