"""Draws the clouds of texts by layer and pooling, from `measure_text_clouds`."""

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
    percent,
    say_instead,
    sentence_case,
    shade,
)
from embspace.draw.page.looks import NULLS, POOLINGS, corpus_looks
from embspace.draw.page.markdown import interval, markdown_table, same, section
from embspace.draw.texts.text_clouds import NO_CORPUS, population
from embspace.files.tables import Tables

RESULTS = (
    "text_clouds/corpora.csv",
    "text_clouds/distributions.csv",
    "text_clouds/positive.csv",
    "text_clouds/spectrum.csv",
)
SHARE, NULL = "share_not_positive", "null_covariance_share_not_positive"
LEAST = 0.005  # share of cosines that a panel shows
DIRECTIONS = "equal_n_participation_ratio"
GAUSSIAN = NULLS["gaussian_of_covariance"]
COLUMNS = {
    **same("corpus", "pooling", "layer"),
    **interval(SHARE, "share"),
    NULL: GAUSSIAN.name,
    "null_isotropic_share_not_positive": "isotropic Gaussian",
}


def draw_text_clouds_layers(
    results: Tables, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw mean cosine, share of cosines not positive and participation ratio of each pooling."""
    corpora, distributions, positive, spectrum = (
        results[name.removesuffix(".csv")] for name in RESULTS
    )
    positive = positive[positive["corpus"] == positive["other_corpus"]]
    figure, axes = new_figure(
        3,
        len(POOLINGS),
        height_mm=height_mm,
        title=_finding(positive),
        subtitle=f"{label} · {population(corpora)} · layer 0: embedding output · shaded: intervals "
        "over documents",
        stage="measure_text_clouds",
    )
    text = _table(positive, label, digits)
    if positive.empty:
        say_instead(axes, NO_CORPUS)
        return figure, text
    cosines = distributions[
        (distributions["quantity"] == "cosine")
        & (distributions["corpus"] == distributions["other_corpus"])
    ]
    n = counted(spectrum["equal_n"].iloc[0], "text")
    rows = {
        "mean": (cosines, "mean cosine of two texts"),
        SHARE: (positive, "share of cosines ≤ 0"),
        DIRECTIONS: (spectrum, f"participation ratio of {n}"),
    }
    for row, (quantity, (table, words)) in enumerate(rows.items()):
        shown = table[[quantity, *({NULL} & {*table})]].to_numpy(dtype=float)
        top = max(1e-3, 1.1 * float(np.nanmax(shown)))
        for column, pooling in enumerate(POOLINGS):
            ax = axes[row * len(POOLINGS) + column]
            own = table[table["pooling"] == pooling]
            largest = float(own[[SHARE, NULL]].to_numpy().max()) if quantity == SHARE else 1.0
            if largest < LEAST:
                say_instead([ax], _hardly_any(largest))
                continue
            _by_layer(ax, own, quantity)
            ax.set(ylim=(min(0.0, float(table[quantity].min())), top))
            if not any(each.axison for each in axes[row * len(POOLINGS) :][:column]):
                ax.set_ylabel(words)
            if row == 0:
                ax.set_title(sentence_case(POOLINGS[pooling].name))
    for ax in axes[-len(POOLINGS) :]:
        ax.set_xlabel("layer")
    legend_below(figure, axes, ncols=3)
    return figure, text


def _finding(positive: pd.DataFrame) -> str:
    """Return the title: all cosines of texts are positive, or the layer where most are not."""
    if positive.empty:
        return "No collection of texts to describe"
    most = positive.sort_values(SHARE, kind="stable").iloc[-1]
    if most[SHARE] == 0:
        return "All cosines of two texts of a corpus are positive, at each layer and pooling"
    name = corpus_looks([most["corpus"]])[most["corpus"]].name
    by_pooling = positive[positive["layer"] == most["layer"]]
    by_pooling = by_pooling[by_pooling["corpus"] == most["corpus"]].set_index("pooling")[SHARE]
    others = ", ".join(
        f"{100 * by_pooling[pooling]:.0f} % with {look.name}"
        for pooling, look in POOLINGS.items()
        if pooling in by_pooling and pooling != most["pooling"]
    )
    return (
        f"{100 * most[SHARE]:.0f} % of the cosines of two {name} at layer {most['layer']} are not "
        f"positive with {POOLINGS[most['pooling']].name}" + (f", {others}" if others else "")
    )


def _hardly_any(largest: float) -> str:
    """Return the words in the place of a panel whose shares are all about zero."""
    if not largest:
        return "all cosines are positive"
    return f"shares below {percent(LEAST)}\nat each layer"


def _by_layer(ax: Axes, table: pd.DataFrame, quantity: str) -> None:
    for corpus, look in corpus_looks(table["corpus"]).items():
        rows = table[table["corpus"] == corpus]
        line: dict[str, Any] = {
            "color": look.color,
            "marker": look.marker,
            "ls": look.line,
            "ms": 3,
        }
        ax.plot(rows["layer"], rows[quantity], label=look.name, **line)
        if f"{quantity}_low" in rows:
            shade(ax, rows, "layer", quantity, color=look.color, alpha=0.2)
        if quantity == SHARE:
            null: dict[str, Any] = {"color": look.color, "ls": "", "marker": "x", "ms": 4}
            ax.plot(rows["layer"], rows[NULL], label=f"{look.name}, {GAUSSIAN.name}", **null)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _table(positive: pd.DataFrame, label: str, digits: int) -> str:
    shown = positive.reindex(columns=[*COLUMNS]).rename(columns=COLUMNS)
    shown["pooling"] = shown["pooling"].map({name: look.name for name, look in POOLINGS.items()})
    body = section(
        "Cosines that are not positive",
        "Their share of all pairs of two texts of a corpus, by layer; of Gaussian vectors with the "
        "same mean and covariance, and with the same variance in all directions.",
        markdown_table(shown, digits),
    )
    return f"# Clouds of texts by layer in {label}\n\nStage `measure_text_clouds`.\n\n{body}"
