"""Draws the clouds of texts by layer and pooling, from `measure_text_clouds`."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    counted,
    legend_below,
    new_figure,
    percent,
    say_instead,
    sentence_case,
)
from embspace.draw.page.looks import NULLS, TEXT_POOLINGS, corpus_looks, names, pooling_looks
from embspace.draw.page.markdown import interval, markdown_table, same, section
from embspace.draw.texts.layer_lines import draw_by_layer
from embspace.draw.texts.text_clouds import NO_CORPUS, population
from embspace.files.tables import Tables

STAGE = "measure_text_clouds"
RESULTS = (
    "text_clouds/corpora.csv",
    "text_clouds/distributions.csv",
    "text_clouds/positive.csv",
    "text_clouds/spectrum.csv",
)
SHARE, NULL = "share_not_positive", "null_covariance_share_not_positive"
TINY = 1e-4  # a share of cosines that no panel shows
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
    subtitle = f"{label} · {population(corpora)} · layer 0: embedding output · shaded: 95 % "
    subtitle += "intervals over documents"
    figure, axes = new_figure(
        3, 3, height_mm=height_mm, title=_finding(positive), subtitle=subtitle, stage=STAGE
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
    _row(axes[:3], cosines, "mean", "mean cosine of two texts")
    _row(axes[3:6], positive, SHARE, "share of cosines ≤ 0")
    _row(axes[6:], spectrum, DIRECTIONS, f"participation ratio of {n}")
    looks = pooling_looks(spectrum["pooling"]).values()
    for upper, lower, look in zip(axes[:3], axes[6:], looks, strict=True):
        upper.set_title(sentence_case(look.name))
        lower.set_xlabel("layer")
    legend_below(figure, axes, ncols=3)
    return figure, text


def _row(axes: Sequence[Axes], table: pd.DataFrame, quantity: str, words: str) -> None:
    """Draw a quantity by layer in one panel for each pooling, but where all is about zero."""
    shown = table[[quantity, *({NULL} & {*table})]].to_numpy(dtype=float)
    limits = min(0.0, float(table[quantity].min())), max(1e-3, 1.1 * float(np.nanmax(shown)))
    for ax, pooling in zip(axes, pooling_looks(table["pooling"]), strict=True):
        own = table[table["pooling"] == pooling]
        largest = float(own[[SHARE, NULL]].to_numpy().max()) if quantity == SHARE else 1.0
        if largest < LEAST:
            few = f"shares below {percent(LEAST)}\nat each layer"
            say_instead([ax], few if largest else "all cosines are positive")
        else:
            _by_layer(ax, own, quantity)
            ax.set_ylim(limits)
    for ax in [ax for ax in axes if ax.axison][:1]:
        ax.set_ylabel(words)


def _finding(positive: pd.DataFrame) -> str:
    """Return the title: all cosines of texts are positive, or the layer where most are not."""
    if positive.empty:
        return "No collection of texts to describe"
    most = positive.sort_values(SHARE, kind="stable").iloc[-1]
    if most[SHARE] == 0:
        said = "All cosines of two texts of a corpus are positive, at each layer and pooling"
        return f"{said}, as of Gaussians" if positive[NULL].max() < TINY else said
    name = corpus_looks([most["corpus"]])[most["corpus"]].name
    by_pooling = positive[positive["layer"] == most["layer"]]
    by_pooling = by_pooling[by_pooling["corpus"] == most["corpus"]].set_index("pooling")[SHARE]
    others = ", ".join(
        f"{percent(by_pooling[pooling])} with {look.name}"
        for pooling, look in TEXT_POOLINGS.items()
        if pooling in by_pooling and pooling != most["pooling"]
    )
    return (
        f"{percent(most[SHARE])} of the cosines of two {name} at layer {most['layer']} are not "
        f"positive with {TEXT_POOLINGS[most['pooling']].name}" + (f", {others}" if others else "")
    )


def _by_layer(ax: Axes, table: pd.DataFrame, quantity: str) -> None:
    for corpus, look in corpus_looks(table["corpus"]).items():
        rows = table[table["corpus"] == corpus]
        draw_by_layer(ax, rows, quantity, look, size=3)
        if quantity == SHARE:
            name = f"{look.name}, {GAUSSIAN.name}"
            ax.plot(rows["layer"], rows[NULL], "x", color=look.color, markersize=4, label=name)


def _table(positive: pd.DataFrame, label: str, digits: int) -> str:
    shown = positive.reindex(columns=[*COLUMNS]).rename(columns=COLUMNS)
    shown["pooling"] = shown["pooling"].map(names(TEXT_POOLINGS))
    body = section(
        "Cosines that are not positive",
        "Their share of all pairs of two texts of a corpus, by layer; of Gaussian vectors with the "
        "same mean and covariance, and with the same variance in all directions.",
        markdown_table(shown, digits),
    )
    return f"# Clouds of texts by layer in {label}\n\nStage `measure_text_clouds`.\n\n{body}"
