"""Draws the figure and the table of `measure_mean_embedding`, after Luisto's figure 12."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.learned.tokens_and_mean import farthest_kind, kinds_by_count, tokens_and_mean
from embspace.draw.page.canvas import counted, legend_below, new_figure
from embspace.draw.page.looks import BLACK, TOKEN_KINDS
from embspace.draw.page.markdown import (
    code,
    for_readers,
    markdown_table,
    same,
    section,
    tables_page,
)
from embspace.draw.page.saving import Results
from embspace.draw.page.token_kinds import drawable

FURTHER_RESULTS = ("data/extracted/embeddings.parquet",)
QUANTITIES = {
    "euclidean_distance": "Euclidean distance to the mean",
    "dot_product": "dot product with the mean",
    "cosine": "cosine with the mean",
    "norm": "norm of the embedding itself",
}
COLUMNS = {
    **same("extreme", "token"),
    "euclidean_distance": "Euclidean distance",
    "dot_product": "dot product",
    **same("cosine", "norm"),
}


def draw_mean_embedding(
    results: Results,
    label: str,
    *,
    height_mm: PositiveFloat,
    n_tokens: PositiveInt,
    fewest: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw a histogram of each quantity by kind of token, with its mean and extreme words."""
    summary = results["summary"].set_index("quantity")
    tokens = tokens_and_mean(results.tables)
    figure, axes = new_figure(
        2,
        2,
        height_mm=height_mm,
        title=_finding(tokens, fewest),
        subtitle=f"{label} · raw learned matrix · {counted(summary['n'].iloc[0], 'token')}, "
        "special and unused ones included · dashed: mean",
        stage="measure_mean_embedding",
    )
    for ax, (quantity, name) in zip(axes, QUANTITIES.items(), strict=True):
        rows = results["histogram"][results["histogram"]["quantity"] == quantity]
        _stack(ax, rows, tokens, quantity)
        mean = float(summary["mean"][quantity])
        ax.axvline(mean, color=BLACK, linestyle="--", linewidth=0.8)
        ax.set_title(f"mean {mean:.3g}", loc="right", fontweight="normal", fontsize=7)
        ax.set(xlabel=name, ylabel="tokens")
        ax.set_ylim(0, 1.3 * rows["count"].max())  # the names lie above
        ax.locator_params(axis="x", nbins=6)
        ax.grid(visible=False, axis="x")
        _name_extremes(ax, results["tokens"], quantity)
    legend_below(figure, axes[:1], ncols=4, columnspacing=1, handlelength=1)
    return figure, _table(results["tokens"], label, n_tokens, digits)


def _finding(tokens: pd.DataFrame, fewest: int) -> str:
    kind = farthest_kind(tokens, "cosine", fewest)
    medians = tokens.groupby("kind")["cosine"].median()
    if kind is None:
        return f"The median cosine of a token with the mean is {tokens['cosine'].median():.2f}"
    return (
        f"Median cosine with the mean: {TOKEN_KINDS[kind].name} {medians[kind]:.2f}, "
        f"words {medians['word']:.2f}"
    )


def _stack(ax: Axes, rows: pd.DataFrame, tokens: pd.DataFrame, quantity: str) -> None:
    """Stack the kinds in each bin of the histogram, with the most frequent kind below."""
    edges = np.array([*rows["bin_left"], rows["bin_right"].iloc[-1]])
    below = np.zeros(len(rows))
    for kind in kinds_by_count(tokens):
        values = tokens.loc[tokens["kind"] == kind, quantity].dropna()
        # The edges are rounded in the table, so that the extremes may lie beside them.
        counts, _ = np.histogram(values.clip(edges[0], edges[-1]), edges)
        name, color, *_ = TOKEN_KINDS[kind]
        ax.stairs(below + counts, edges, baseline=below, fill=True, color=color, label=name)
        below = below + counts


def _name_extremes(ax: Axes, tokens: pd.DataFrame, quantity: str) -> None:
    """Name the words with the smallest and the largest value at the two ends of the axis."""
    for order, x, side in (("smallest", 0.01, "left"), ("largest", 0.99, "right")):
        rows = tokens[(tokens["quantity"] == quantity) & (tokens["order"] == order)]
        if len(rows):
            words = f"{order} of words:\n“{drawable(str(rows['token'].iloc[0]))}”"
            look: dict[str, Any] = {"fontsize": 7, "ha": side, "va": "top", "color": "0.3"}
            ax.text(x, 0.98, words, transform=ax.transAxes, **look)


def _table(tokens: pd.DataFrame, label: str, n_tokens: int, digits: int) -> str:
    rows = tokens[tokens["rank"] <= n_tokens]
    extreme = rows["order"] + " " + rows["quantity"].str.replace("_", " ")
    shown = for_readers(rows.assign(extreme=extreme, token=rows["token"].map(code)), COLUMNS)
    note = (
        "Words of three or more Latin letters; distance, dot product and cosine to the mean of "
        "all token embeddings."
    )
    body = section("Extreme tokens", note, markdown_table(shown, digits))
    return tables_page(f"The mean token embedding of {label}", "measure_mean_embedding", body)
