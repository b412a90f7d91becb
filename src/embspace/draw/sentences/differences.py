"""Figure and tables of `measure_differences`: Luisto's figure 24, tables 6 and 7."""

from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import counted, new_figure, say_instead, shade
from embspace.draw.page.direct_labels import spread
from embspace.draw.page.looks import POOLINGS
from embspace.draw.sentences.difference_map import COLORS, color_of, map_panel
from embspace.draw.sentences.difference_tables import difference_tables
from embspace.draw.sentences.sentence_similarity import POOLING_NAMES
from embspace.settings.types import Share

RESULTS = ("categories.csv", "cosines.csv", "map.csv", "examples.csv", "json")
LINES = ("-", "--", ":", "-.")
HEIGHTS = [1.1, 1.35, 0.9]  # of the rows
CONSISTENCIES = {
    "consistency": "Consistency by layer",
    "consistency_different_tokens": "The same, no token in common",
}
LARGEST_WRITTEN = 12  # categories whose cosines are written, and layers that are numbered


def draw_differences(
    results: dict[str, Any],
    label: str,
    *,
    height_mm: PositiveFloat,
    starred_q_value: Share,
    n_listed: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """A map with arrows, cosines of the means, consistency beside chance, and both by layer.

    Stars have a q-value under `starred_q_value`; the table lists the `n_listed` cosines of the
    largest size.
    """
    summary = results["json"]
    figure, axes = new_figure(
        3,
        2,
        height_mm=height_mm,
        title="What the differences of sentence pairs have in common",
        subtitle=f"{label} · {counted(summary['n_pairs'], 'pair')} · second minus first sentence · "
        f"layer {summary['layer']}, {POOLING_NAMES[summary['pooling']]}, unless said",
        stage="measure_differences",
    )
    text = difference_tables(results, label, n_listed, digits)
    if results["categories"].empty:
        say_instead(axes, "no pairs of sentences that the model could read")
        return figure, text
    categories, cosines = (
        _at(results[name], summary, ["layer", "pooling"]) for name in ("categories", "cosines")
    )
    if grid := axes[0].get_gridspec():
        grid.set_height_ratios(HEIGHTS)
    map_panel(axes[0], results["map"], summary)
    _against_chance(axes[1], categories)
    _heat_map(figure, axes[2], categories, cosines, starred_q_value)
    _bias_by_layer(axes[3], results["cosines"], summary)
    by_layer = _at(results["categories"], summary, ["pooling"])
    for ax, (column, title) in zip(axes[4:], CONSISTENCIES.items(), strict=True):
        _by_layer(ax, by_layer, column, title)
    return figure, text


def _at(table: pd.DataFrame, summary: dict[str, Any], keys: list[str]) -> pd.DataFrame:
    chosen = np.logical_and.reduce([table[key] == summary[key] for key in keys])
    return table[chosen]


def _heat_map(
    figure: Figure,
    ax: Axes,
    categories: pd.DataFrame,
    cosines: pd.DataFrame,
    starred_q_value: float,
) -> None:
    """Cosines as they are below the diagonal, corrected above it, reliabilities on it."""
    names = categories["category"].tolist()
    values = np.full((len(names), len(names)), np.nan)
    for row in cosines.to_dict("records"):
        one, two = names.index(row["category_1"]), names.index(row["category_2"])
        values[two, one], values[one, two] = row["cosine"], row["corrected_cosine"]
        if row["q_value"] < starred_q_value:
            ax.text(one + 0.36, two - 0.3, "*", ha="center", va="center", fontsize=9)
    image = ax.imshow(values, cmap="RdBu_r", vmin=-1, vmax=1)
    if len(names) <= LARGEST_WRITTEN:
        _write_cosines(ax, values, categories["reliability"])
    ax.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(names)), names)
    ax.grid(visible=False)
    ax.set_title("Cosines of the means", loc="left")
    bar = figure.colorbar(image, ax=ax, location="bottom", aspect=40, pad=0.02)
    bar.set_ticks([-1, -0.5, 0, 0.5, 1])
    bar.set_label(
        f"below the diagonal: as they are (star: q < {starred_q_value:g})\n"
        "above: corrected for noise; on it: reliability",
        fontsize=6.5,
    )


def _write_cosines(ax: Axes, cosines: Float[np.ndarray, "n n"], reliabilities: pd.Series) -> None:
    """The numbers in the cells of the map, reliabilities on the diagonal."""
    written = cosines.copy()
    np.fill_diagonal(written, reliabilities)
    for (row, column), value in np.ndenumerate(written):
        color = "white" if abs(cosines[row, column]) > 0.6 else "black"
        ax.text(
            column,
            row,
            _short(value),
            ha="center",
            va="center",
            fontsize=6,
            color="0.45" if row == column else color,
        )


def _short(value: float) -> str:
    """Two digits and no 0 before the point; a dash for what is not defined."""
    return "–" if np.isnan(value) else f"{value:z.2f}".replace("0.", ".", 1)


def _against_chance(ax: Axes, categories: pd.DataFrame) -> None:
    """Consistency of each category with what it is held against."""
    y = np.arange(len(categories))
    values = {name: categories[name].to_numpy(dtype=np.float64) for name in categories.columns[3:]}
    for null, offset, color, name in (
        ("sign_flips", 0.14, "0.55", "signs flipped"),
        ("re_paired", 0.28, "C4", "paired anew"),
    ):
        ax.hlines(
            y + offset,
            values[f"null_consistency_{null}_low"],
            values[f"null_consistency_{null}_high"],
            color=color,
            linewidth=3,
            label=name,
        )
    ax.hlines(y, values["consistency_low"], values["consistency_high"], color="C0", linewidth=1.2)
    ax.plot(values["consistency"], y, "o", color="C0", markersize=4, label="all pairs")
    ax.plot(
        values["consistency_different_tokens"],
        y,
        "D",
        color="C1",
        markersize=4,
        markerfacecolor="none",
        label="no token in common",
    )
    ax.plot(
        values["random_weights_consistency"],
        y - 0.2,
        "x",
        color="C2",
        markersize=3.5,
        label="all pairs, random weights",
    )
    ax.set_yticks(y, categories["category"])
    ax.set(ylim=(len(y) - 0.5, -0.5), xlabel="mean cosine of differences")
    ax.set_title("Consistency of the differences", loc="left")
    ax.legend(loc="upper center", bbox_to_anchor=(0.3, -0.21), ncols=2, fontsize=6.5)


def _by_layer(ax: Axes, categories: pd.DataFrame, column: str, title: str) -> None:
    defined = categories.dropna(subset=[column])  # the first token of layer 0 is always the same
    layers = sorted((categories if defined.empty else defined)["layer"].unique())
    every = -(-len(layers) // LARGEST_WRITTEN)
    ax.axhline(0, color="0.4", linewidth=0.6)
    if column == "consistency":
        _null_band(ax, categories)
    lines = dict(list(categories.groupby("category", sort=False)))
    last = [float(rows[column].iloc[-1]) for rows in lines.values()]
    places = spread(np.nan_to_num(last), 0.085)
    for number, (name, rows) in enumerate(lines.items()):
        ax.plot(
            rows["layer"],
            rows[column],
            marker=".",
            markersize=4,
            color=color_of(number),
            linestyle=LINES[number // len(COLORS) % len(LINES)],
        )
        ax.annotate(
            str(name),
            (layers[-1], last[number]),
            (layers[-1] + 0.06 * (layers[-1] + 1), places[number]),
            va="center",
            fontsize=6.5,
            color=color_of(number),
            arrowprops={"arrowstyle": "-", "color": color_of(number), "linewidth": 0.4},
        )
    ax.set(xlim=(layers[0] - 0.2, layers[-1] * 1.5 + 0.2), xticks=layers[::every], xlabel="layer")
    ax.set(ylim=(min(-0.25, places.min() - 0.06), 1), ylabel="mean cosine of differences")
    ax.set_title(title, loc="left")


def _null_band(ax: Axes, categories: pd.DataFrame) -> None:
    name = "null_consistency_unrelated"
    ends = {f"{name}_low": "min", f"{name}_high": "max"}
    band = categories.groupby("layer", as_index=False).agg(ends)
    shade(ax, band, "layer", name, color="0.8", label="unrelated sentences")
    ax.legend(loc="upper right")


def _bias_by_layer(ax: Axes, cosines: pd.DataFrame, summary: dict[str, Any]) -> None:
    bias = summary["bias"]
    if not bias:
        say_instead([ax], "no cosine of the categories in bias_categories")
        return
    chosen = cosines[
        (cosines["category_1"] == bias["category_1"])
        & (cosines["category_2"] == bias["category_2"])
    ]
    null = _at(chosen, summary, ["pooling"])
    label = f"unrelated, {POOLINGS[summary['pooling']][0]}"
    shade(ax, null, "layer", "null_cosine", color="0.85", label=label)
    for number, (pooling, (name, *_)) in enumerate(POOLINGS.items()):
        rows = chosen[chosen["pooling"] == pooling]
        ends = [rows["cosine"] - rows["cosine_low"], rows["cosine_high"] - rows["cosine"]]
        ax.errorbar(
            rows["layer"] + 0.1 * (number - 1),
            rows["cosine"],
            np.abs(ends),
            marker="o",
            markersize=3,
            linewidth=1,
            elinewidth=0.8,
            color=color_of(number),
            label=name,
        )
    ax.axhline(0, color="0.4", linewidth=0.6)
    ax.set(ylim=(-1, 1), xlabel="layer", ylabel="cosine of the means")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_title(f"{bias['category_1']} with {bias['category_2']}", loc="left")
    ax.legend(loc="upper left", ncols=2)
