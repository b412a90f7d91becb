"""Draws what the neighbors in a layer say of another: `measure_information_imbalance`."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    counted,
    legend_below,
    new_figure,
    say_instead,
    sentence_case,
)
from embspace.draw.page.looks import GRAY, NULLS, POOLINGS, corpus_looks
from embspace.draw.page.markdown import interval, markdown_table, same, section, tables_page
from embspace.draw.page.saving import Results

STAGE = "measure_information_imbalance"
SHOWN = "mean"  # the pooling of the maps and of the title
LARGEST_WRITTEN = 9  # layers; of more the values would not be legible
NO_TEXT = "No corpus has enough documents"
COLUMNS = {
    **same("layer"),
    **interval("value", "to the last layer"),
    **interval("back", "from the last layer"),
    **interval("asymmetry", "difference"),
    "null_smallest": "least of shuffled documents",
    "random_weights_value": "to the last layer, random weights",
}


def draw_information_imbalance(
    results: Results, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw one row a corpus: a map of all layers, and each layer to and from the last one."""
    table = results["csv"]
    corpora = list(dict.fromkeys(table["corpus"]))
    figure, axes = new_figure(
        max(len(corpora), 1),
        3,
        height_mm=row_height_mm * max(len(corpora), 1) + 32,
        title=_finding(table),
        subtitle=f"{label} · {_population(table)}",
        stage=STAGE,
    )
    if not corpora:
        say_instead(axes, NO_TEXT)
    for row, corpus in enumerate(corpora):
        rows = table[table["corpus"] == corpus]
        _panels(axes[3 * row : 3 * row + 3], rows, corpus_looks(corpora)[corpus].name)
    if corpora:
        legend_below(figure, axes, ncols=3)
    return figure, _tables(table, label, digits)


def _against_last(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of each earlier layer to the last, with `back`, the value from the last to it."""
    last = table["other_layer"].max()
    there = table[table["other_layer"] == last]
    back = table[table["layer"] == last].drop(columns="layer")
    back = back.rename(
        columns={
            "other_layer": "layer",
            "value": "back",
            "low": "back_low",
            "high": "back_high",
            "random_weights_value": "random_weights_back",
        }
    )
    keys = ["corpus", "pooling", "layer"]
    kept = [*keys, "back", "back_low", "back_high", "random_weights_back"]
    named = there.rename(columns={"low": "value_low", "high": "value_high"})
    return named.merge(back[kept], on=keys)


def _finding(table: pd.DataFrame) -> str:
    if table.empty:
        return "No documents to compare the layers by"
    rows = _against_last(table[table["pooling"] == SHOWN])
    more = int((rows["asymmetry_high"] < 0).sum())
    less = int((rows["asymmetry_low"] > 0).sum())
    n = counted(len(rows), "earlier layer")
    if not more + less:
        return f"By mean pooling none of {n} clearly holds more of the last layer, or less, than it"
    return (
        f"By mean pooling {more} of {n}, all corpora together, clearly hold more of the last layer "
        f"than it of them, {less} clearly less"
    )


def _population(table: pd.DataFrame) -> str:
    if table.empty:
        return "no text, n = 0"
    sizes = table.groupby("corpus", sort=False)["n"].max()
    names = corpus_looks(table["corpus"])
    texts = ", ".join(
        f"{names[str(each)].name}: {counted(n, 'document')}" for each, n in sizes.items()
    )
    level = f"{100 * table['level'].iloc[0]:g} %"
    return (
        f"{texts} · information imbalance: mean rank of the nearest neighbor, 0: the layer holds "
        f"all of the other, 1: nothing · bands: {level} intervals over documents"
    )


def _panels(axes: Sequence[Axes], rows: pd.DataFrame, corpus: str) -> None:
    shown = rows[rows["pooling"] == SHOWN]
    _map(axes[0], shown)
    axes[0].set(title=f"{sentence_case(corpus)}: mean pooling", xlabel="distances in layer")
    axes[0].set_ylabel("neighbors in layer")
    against = _against_last(rows)
    for ax, (quantity, words) in zip(
        axes[1:], {"value": "to the last", "back": "from the last"}.items(), strict=True
    ):
        _lines(ax, against, quantity)
        ax.set(title=f"{sentence_case(corpus)}: {words}", xlabel="layer (0: embedding output)")
        ax.set_ylabel("information imbalance")


def _map(ax: Axes, rows: pd.DataFrame) -> None:
    import seaborn as sns

    values = rows.pivot(index="layer", columns="other_layer", values="value")
    written = len(values) <= LARGEST_WRITTEN
    sns.heatmap(
        values,
        ax=ax,
        cmap="viridis_r",
        vmin=0,
        vmax=max(0.5, np.nanmax(values.to_numpy())),
        square=True,
        annot=values.map(lambda value: f"{value:.2f}".removeprefix("0")) if written else False,
        fmt="",
        annot_kws={"fontsize": 7},
        cbar_kws={"shrink": 0.7, "label": "information imbalance"},
    )
    ax.invert_yaxis()
    ax.tick_params(rotation=0)
    ax.grid(visible=False)


def _lines(ax: Axes, rows: pd.DataFrame, quantity: str) -> None:
    at_random = "random_weights_value" if quantity == "value" else "random_weights_back"
    for pooling, of_pooling in rows.groupby("pooling", sort=False):
        look, line = POOLINGS[str(pooling)], NULLS["random_initialization"]
        style: dict[str, Any] = {"color": look.color, "marker": look.marker}
        ax.plot(of_pooling["layer"], of_pooling[quantity], label=look.name, ms=4, **style)
        low, high = (of_pooling[f"{quantity}{end}"] for end in ("_low", "_high"))
        ax.fill_between(of_pooling["layer"], low, high, color=look.color, alpha=0.2, linewidth=0)
        if of_pooling[at_random].notna().any():
            name = f"{look.name}, {line.name}"
            hollow = style | {"ls": line.line, "ms": 3, "markerfacecolor": "none"}
            ax.plot(of_pooling["layer"], of_pooling[at_random], label=name, **hollow)
    null = rows["null_mean"].mean()
    ax.axhline(null, color=GRAY, linewidth=1, label="documents shuffled")
    ax.set_ylim(0, max(1.05, ax.get_ylim()[1]))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _name(corpus: str) -> str:
    return sentence_case(corpus_looks([corpus])[corpus].name)


def _tables(table: pd.DataFrame, label: str, digits: int) -> str:
    title = f"Information imbalance of the layers of {label}"
    if table.empty:
        return tables_page(title, STAGE, f"{NO_TEXT}.\n")
    names = {name: look.name for name, look in POOLINGS.items()}
    parts = [
        section(
            f"{_name(str(corpus))}, {names[str(pooling)]}",
            "Each layer and the last one. The difference is of the two directions: below 0 the "
            "layer holds more of the last than the last of it. Shuffled: documents of the last.",
            markdown_table(rows[[*COLUMNS]].rename(columns=COLUMNS), digits),
        )
        for (corpus, pooling), rows in _against_last(table).groupby(
            ["corpus", "pooling"], sort=False
        )
    ]
    return tables_page(title, STAGE, *parts)
