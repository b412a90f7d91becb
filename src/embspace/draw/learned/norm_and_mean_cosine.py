"""Draws all tokens by norm and by cosine with the mean, and a table of their kinds."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.learned.tokens_and_mean import kinds_by_count, tokens_and_mean
from embspace.draw.page.canvas import HALO, count, counted, new_figure
from embspace.draw.page.direct_labels import spread
from embspace.draw.page.looks import TOKEN_KINDS
from embspace.draw.page.markdown import markdown_table, section
from embspace.draw.page.token_kinds import drawable
from embspace.draw.page.wording import numeral

RESULTS = (
    "mean_embedding/summary.csv",
    "data/measured/mean_embedding.parquet",
    "data/extracted/embeddings.parquet",
)
X, Y = "norm", "cosine"
NAMED = 8  # cells of a kind with a name
AREA = 0.05  # of all cells: a kind of fewer has a lead to one of its cells
LEAD = {"arrowstyle": "-", "linewidth": 0.8, "shrinkA": 2, "shrinkB": 0}
GAP = 0.07  # between two names, as a share of the height
FEW = 20  # tokens in a cell: a logarithm of less than two decades has too many labels
LEAST_CORRELATION = 0.1  # that the title says
HEXAGONS: dict[str, Any] = {"gridsize": 55, "mincnt": 1, "linewidths": 0.1, "rasterized": True}


def draw_norm_and_mean_cosine(
    results: dict[str, Any],
    label: str,
    *,
    height_mm: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw tokens by norm and cosine with the mean: their number, and their most frequent kind."""
    import seaborn as sns

    everything = tokens_and_mean(results)
    tokens = everything.dropna(subset=[Y])
    summary = results["mean_embedding/summary"].set_index("quantity")
    correlation = float(summary["norm_correlation"][Y])
    figure, axes = new_figure(
        1,
        2,
        height_mm=height_mm,
        title=_finding(correlation),
        subtitle=f"{label} · {counted(len(tokens), 'token')}, special and unused included"
        f"{_left_out(everything)} · raw learned matrix · in a large Gaussian table norm and cosine "
        "are unrelated",
        stage="measure_mean_embedding",
    )
    mako = sns.color_palette("mako_r", as_cmap=True)
    counts = axes[0].hexbin(tokens[X], tokens[Y], bins="log", cmap=mako, **HEXAGONS)
    bar = figure.colorbar(counts, ax=axes[0], location="bottom", shrink=0.9, pad=0.02)
    bar.set_label("tokens in a cell")
    most = counts.get_clim()[1]
    every = (1, 2, 5, 10) if most < FEW else 10 ** np.arange(np.log10(most) + 1, dtype=int)
    shown = [tick for tick in every if tick <= most]
    bar.set_ticks(shown, labels=[count(tick) for tick in shown], minor=False)
    if most < FEW:
        bar.ax.minorticks_off()
    axes[0].set_title(f"All tokens: rank correlation {numeral(correlation, 2)}")
    _most_frequent_kind(axes[1], tokens)
    axes[1].set_title("Most frequent kind in a cell")
    for ax in axes:
        ax.set(xlabel="Euclidean norm")
        ax.grid(visible=False)
    axes[0].set_ylabel("cosine with the mean")
    return figure, _table(tokens, label, digits)


def _left_out(tokens: pd.DataFrame) -> str:
    """Return for the subtitle the tokens of length zero: their number, or a name."""
    zeros = tokens[tokens[Y].isna()]
    if zeros.empty:
        return ""
    who = drawable(str(zeros["token"].iloc[0])) if len(zeros) == 1 else counted(len(zeros), "other")
    return f"; {who}, of length zero, left out"


def _finding(correlation: float) -> str:
    """Return the title: how the cosine with the mean goes with the norm."""
    if not abs(correlation) > LEAST_CORRELATION:
        return "The norm of a token embedding says little of its cosine with the mean"
    return (
        f"The {'longer' if correlation > 0 else 'shorter'} a token embedding, the larger its "
        f"cosine with the mean: rank correlation {numeral(correlation, 2)}"
    )


def _most_frequent_kind(ax: Axes, tokens: pd.DataFrame) -> None:
    """Color each hexagon by the most frequent kind of its tokens, and name the kinds.

    Names of large areas stand on them, those of smaller ones beside, of a few cells in a legend.
    """
    kinds = kinds_by_count(tokens)
    colors = ListedColormap([TOKEN_KINDS[kind].color for kind in kinds])
    codes = tokens["kind"].map({kind: code for code, kind in enumerate(kinds)})
    cells = ax.hexbin(
        tokens[X],
        tokens[Y],
        codes,
        cmap=colors,
        vmin=-0.5,
        vmax=len(kinds) - 0.5,
        reduce_C_function=lambda inside: float(np.bincount(inside).argmax()),
        **HEXAGONS,
    )
    colored, places = np.asarray(cells.get_array()), np.asarray(cells.get_offsets())
    large = [code for code in range(len(kinds)) if (colored == code).sum() >= NAMED]
    own = {TOKEN_KINDS[kinds[code]].name: places[colored == code] for code in large}
    _name_cells(ax, own, AREA * len(colored))
    for code in sorted({int(code) for code in colored} - {*large}):
        kind = TOKEN_KINDS[kinds[code]]
        ax.scatter([], [], color=kind.color, marker="h", s=12, label=kind.name)
    if ax.get_legend_handles_labels()[0]:
        ax.legend(loc="best")


def _name_cells(ax: Axes, cells: dict[str, np.ndarray], least: float) -> None:
    """Write the names of kinds on their cells, of fewer than `least` cells beside, with leads.

    A lead ends at the cell nearest to the middle of the kind.
    """
    look: dict[str, Any] = {"va": "center", "fontsize": 7, "fontweight": "bold"}
    look |= {"path_effects": HALO}
    middles = {name: np.median(own, axis=0) for name, own in cells.items()}
    gap = GAP * float(np.ptp(ax.get_ylim()))
    heights = spread([y for _, y in middles.values()], gap)
    for (name, own), y in zip(cells.items(), heights, strict=True):
        if len(own) >= least:
            ax.text(middles[name][0], y, name, ha="center", **look)
            continue
        end = own[np.linalg.norm(own - middles[name], axis=1).argmin()]
        place: dict[str, Any] = {"xytext": (0.98, y), "textcoords": ax.get_yaxis_transform()}
        ax.annotate(name, end, arrowprops=LEAD, ha="right", **place, **look)


def _table(tokens: pd.DataFrame, label: str, digits: int) -> str:
    kinds = tokens.groupby("kind")
    quartiles = pd.DataFrame(
        {
            f"{quantity}, {100 * share:g} %": kinds[quantity].quantile(share)
            for quantity in (X, Y)
            for share in (0.25, 0.5, 0.75)
        }
    )
    shown = quartiles.loc[kinds_by_count(tokens)]
    shown.insert(0, "n", kinds.size())
    shown.insert(0, "kind", [TOKEN_KINDS[str(kind)].name for kind in shown.index])
    return f"# Norm and cosine with the mean, by kind of token, of {label}\n\n" + section(
        "Quartiles",
        "From the vectors of `extract_embeddings`; of all together, `measure_mean_embedding`.",
        markdown_table(shown, digits),
    )
