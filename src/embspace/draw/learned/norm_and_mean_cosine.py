"""Draws all tokens by norm and by cosine with the mean, and a table of their kinds."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colorbar import Colorbar
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.learned.tokens_and_mean import kinds_by_count, tokens_and_mean
from embspace.draw.page.canvas import count, counted, new_figure
from embspace.draw.page.looks import TOKEN_KINDS
from embspace.draw.page.markdown import markdown_table, section

RESULTS = (
    "data/measured/mean_embedding.parquet",
    "data/extracted/embeddings.parquet",
)
X, Y = "norm", "cosine"
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
    """Draw tokens by norm and cosine with the mean: their number, kind and median id."""
    import seaborn as sns

    tokens = tokens_and_mean(results).dropna(subset=[Y])
    figure, axes = new_figure(
        1,
        3,
        height_mm=height_mm,
        title=_finding(tokens),
        subtitle=f"{label} · {counted(len(tokens), 'token')}, special and unused ones included · "
        "raw learned matrix",
        stage="measure_mean_embedding",
    )
    mako = sns.color_palette("mako_r", as_cmap=True)
    counts = axes[0].hexbin(tokens[X], tokens[Y], bins="log", cmap=mako, **HEXAGONS)
    counts_bar = _color_bar(figure, axes[0], counts, "tokens", "Tokens per cell")
    most = counts.get_clim()[1]
    if most < FEW:
        every = [tick for tick in (1, 2, 5, 10) if tick <= most]
        counts_bar.set_ticks(every, labels=[count(tick) for tick in every], minor=False)
        counts_bar.ax.minorticks_off()
    kinds = _most_frequent_kind(axes[1], tokens)
    axes[1].set_title("Most frequent kind")
    ids = axes[2].hexbin(
        tokens[X], tokens[Y], tokens["id"], cmap="viridis", reduce_C_function=np.median, **HEXAGONS
    )
    ids_bar = _color_bar(figure, axes[2], ids, "median id", "Median vocabulary id")
    ids_bar.ax.xaxis.set_major_formatter(lambda id_, _: count(id_))
    for ax in axes:
        ax.set(xlabel="Euclidean norm")
        ax.grid(visible=False)
    axes[0].set_ylabel("cosine with the mean")
    handles = [
        Line2D([], [], marker="h", linestyle="", color=TOKEN_KINDS[kind].color, markersize=5)
        for kind in kinds
    ]
    names = [TOKEN_KINDS[kind].name for kind in kinds]
    figure.legend(handles, names, loc="outside lower left", ncols=4, columnspacing=1)
    return figure, _table(tokens, label, digits)


def _finding(tokens: pd.DataFrame) -> str:
    """Return the title: how the cosine with the mean goes with the norm."""
    correlation = float(tokens[X].corr(tokens[Y], method="spearman"))
    if not abs(correlation) > LEAST_CORRELATION:
        return "The norm of a token embedding says little of its cosine with the mean"
    return (
        f"The {'longer' if correlation > 0 else 'shorter'} a token embedding, the larger its "
        f"cosine with the mean: rank correlation {correlation:.2f}".replace("-", "−")
    )


def _color_bar(figure: Figure, ax: Axes, drawn: Any, label: str, title: str) -> Colorbar:
    bar = figure.colorbar(drawn, ax=ax, location="bottom", shrink=0.9, pad=0.02)
    bar.set_label(label)
    ax.set_title(title)
    return bar


def _most_frequent_kind(ax: Axes, tokens: pd.DataFrame) -> list[str]:
    """Color each hexagon by the most frequent kind of its tokens; return the kinds."""
    kinds = kinds_by_count(tokens)
    colors = ListedColormap([TOKEN_KINDS[kind].color for kind in kinds])
    codes = tokens["kind"].map({kind: code for code, kind in enumerate(kinds)})
    ax.hexbin(
        tokens[X],
        tokens[Y],
        codes,
        cmap=colors,
        vmin=-0.5,
        vmax=len(kinds) - 0.5,
        reduce_C_function=lambda inside: float(np.bincount(inside).argmax()),
        **HEXAGONS,
    )
    return kinds


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
