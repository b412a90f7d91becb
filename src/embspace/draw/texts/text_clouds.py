"""Figure and tables of `measure_text_clouds`: Luisto's figure 26, and what lies behind it."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    QUANTITIES,
    count,
    counted,
    new_figure,
    quantile_range,
    say_instead,
    shade,
    step,
)
from embspace.draw.texts.text_cloud_tables import text_cloud_tables
from embspace.files.tables import Tables

RESULTS = (
    "corpora.csv",
    "distributions.csv",
    "histogram.csv",
    "positive.csv",
    "spectrum.csv",
    "separation.csv",
)
POOLINGS: dict[str, tuple[str, Literal["-", "--", ":"]]] = {
    "cls": ("first token", "-"),
    "mean": ("mean", "--"),
    "max": ("maximum", ":"),
}
MARKS: dict[str, tuple[str, dict[str, Any]]] = {
    "share_not_positive": ("share measured", {"marker": "o", "markersize": 4}),
    "null_covariance_share_not_positive": (
        "share by the Gaussian null",
        {"marker": "x", "markersize": 5},
    ),
    "null_isotropic_share_not_positive": (
        "share by the isotropic null",
        {"marker": "s", "markersize": 6, "fillstyle": "none"},
    ),
    "centered_share_not_positive": (
        "share about the mean",
        {"marker": "D", "markersize": 4, "fillstyle": "none"},
    ),
}
Colors = Mapping[str, str]


def draw_text_clouds(
    results: Tables, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Densities of one layer and pooling, then cosines, their signs, shapes and distances."""
    histogram = results["histogram"]
    figure, axes = new_figure(
        4,
        2,
        height_mm=height_mm,
        title="The clouds that collections of texts make",
        subtitle=f"{label} · {_population(results['corpora'])}",
        stage="measure_text_clouds",
    )
    text = text_cloud_tables(results, label, digits)
    if histogram.empty:
        say_instead(axes, "no corpus has enough texts that this model reads")
        return figure, text
    colors = {name: f"C{i}" for i, name in enumerate(dict.fromkeys(results["spectrum"]["corpus"]))}
    _densities(axes[:4], histogram, results["distributions"], colors)
    _mean_cosines(axes[4], results["distributions"], colors)
    _signs(axes[5], results["positive"], colors)
    _directions(axes[6], results["spectrum"], colors)
    _between(axes[7], results["separation"])
    handles = [Line2D([], [], color=color, linewidth=3) for color in colors.values()]
    handles += [
        Line2D([], [], color="0.3", linestyle="none", **style) for _, style in MARKS.values()
    ]
    words = [*colors, *(name for name, _ in MARKS.values())]
    figure.legend(handles, words, loc="outside lower left", ncols=3)
    return figure, text


def _population(corpora: pd.DataFrame) -> str:
    kept = corpora["left_out"].isna() | (corpora["left_out"] == "")
    parts = [
        f"{name} {counted(n, 'vector')} of {counted(n_documents, 'document')}"
        if n != n_documents
        else f"{name} {count(n)}"
        for name, n, n_documents in corpora.loc[kept, ["corpus", "n", "n_documents"]].to_numpy()
    ]
    left_out = ", ".join(corpora.loc[~kept, "corpus"])
    return " · ".join(parts + ([f"left out: {left_out}"] if left_out else []))


def _state(rows: pd.DataFrame) -> str:
    pooling, layer = rows[["pooling", "layer"]].iloc[0]
    return f"{POOLINGS[pooling][0]}, layer {layer}"


def _densities(
    axes: Sequence[Axes], histogram: pd.DataFrame, distributions: pd.DataFrame, colors: Colors
) -> None:
    """Of the state that has histograms: of pairs within each corpus."""
    within = histogram[histogram["corpus"] == histogram["other_corpus"]]
    pooling, layer = within[["pooling", "layer"]].iloc[0]
    summary = distributions[
        (distributions["pooling"] == pooling)
        & (distributions["layer"] == layer)
        & (distributions["corpus"] == distributions["other_corpus"])
    ]
    for ax, quantity in zip(axes, QUANTITIES, strict=True):
        for corpus, color in colors.items():
            chosen = (within["corpus"] == corpus) & (within["quantity"] == quantity)
            step(ax, within[chosen], corpus, color)
        ax.set(xlabel=QUANTITIES[quantity], ylabel="density", ylim=(0, None))
        ax.set_title(_state(within))
        low, high = quantile_range(summary[summary["quantity"] == quantity])
        if low < high:
            ax.set_xlim(low, high)


def _by_layer(ax: Axes, rows: pd.DataFrame, name: str, color: str, style: str) -> None:
    """A line over layers, and its interval where the table has one."""
    ax.plot(rows["layer"], rows[name], color=color, linestyle=style, marker=".", markersize=3)
    if f"{name}_low" in rows:
        shade(ax, rows, "layer", name, color=color, alpha=0.25)


def _over_layers(
    ax: Axes, table: pd.DataFrame, name: str, colors: Colors, poolings: Sequence[str]
) -> None:
    for (corpus, color), pooling in product(colors.items(), poolings):
        rows = table[(table["corpus"] == corpus) & (table["pooling"] == pooling)]
        _by_layer(ax, rows, name, color, POOLINGS[pooling][1])
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="layer; 0: embedding output", ylim=(0, None))


def _pooling_handles(poolings: Sequence[str]) -> tuple[list[Line2D], list[str]]:
    lines = [Line2D([], [], color="0.3", linestyle=POOLINGS[each][1]) for each in poolings]
    return lines, [POOLINGS[each][0] for each in poolings]


def _mean_cosines(ax: Axes, distributions: pd.DataFrame, colors: Colors) -> None:
    rows = distributions[
        (distributions["quantity"] == "cosine")
        & (distributions["corpus"] == distributions["other_corpus"])
    ]
    _over_layers(ax, rows, "mean", colors, list(POOLINGS))
    ax.set(ylabel="mean cosine", title="Mean cosine of two documents", ylim=(0, 1.03))
    ax.legend(*_pooling_handles(list(POOLINGS)), loc="lower left", title="pooling")


def _signs(ax: Axes, positive: pd.DataFrame, colors: Colors) -> None:
    """At the last layer, one row of marks a pooling and corpus."""
    rows = positive[
        (positive["layer"] == positive["layer"].max())
        & (positive["corpus"] == positive["other_corpus"])
    ]
    places = list(product(POOLINGS, colors))
    for place, (pooling, corpus) in enumerate(places):
        row = rows[(rows["pooling"] == pooling) & (rows["corpus"] == corpus)].iloc[0]
        for name, (_, style) in MARKS.items():
            ax.plot(row[name], place, **style, color=colors[corpus])
    middles = np.arange(len(POOLINGS)) * len(colors) + (len(colors) - 1) / 2
    ax.set_yticks(middles, [words for words, *_ in POOLINGS.values()])
    for start in range(len(colors), len(places), len(colors)):
        ax.axhline(start - 0.5, color="0.7", linewidth=0.6)
    ax.set(
        ylim=(len(places) - 0.5, -0.5),
        xlim=(-0.03, None),
        ylabel="pooling",
        xlabel="share of pairs",
        title=f"Cosines that are not positive, layer {rows['layer'].iloc[0]}",
    )
    ax.grid(visible=False, axis="y")


def _directions(ax: Axes, spectrum: pd.DataFrame, colors: Colors) -> None:
    _over_layers(ax, spectrum, "equal_n_participation_ratio", colors, list(POOLINGS))
    n = spectrum["equal_n"].iloc[0]
    ax.set(ylabel="participation ratio", title=f"Effective directions of {counted(n, 'vector')}")


def _between(ax: Axes, separation: pd.DataFrame) -> None:
    if separation.empty:
        say_instead([ax], "one corpus: nothing to compare")
        return
    pairs = separation.groupby(["corpus", "other_corpus"], sort=False)
    for number, ((a, b), table) in enumerate(pairs):
        for pooling, rows in table.groupby("pooling", sort=False):
            _by_layer(
                ax, rows, "between_corpora_share", f"C{3 + number}", POOLINGS[str(pooling)][1]
            )
        ax.plot([], [], color=f"C{3 + number}", label=f"{a}, {b}")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(
        xlabel="layer; 0: embedding output",
        ylabel="share of the variance",
        title="Variance between two corpora",
        ylim=(0, 1.15),
    )
    ax.legend(loc="upper right")
