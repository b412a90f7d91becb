"""Draws the sentence differences of `measure_differences`: Luisto's figure 24, tables 6 and 7."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import (
    counted,
    join_panels,
    new_figure,
    say_instead,
    sentence_case,
    shade,
)
from embspace.draw.page.looks import GRAY, TEXT_POOLINGS, pooling_looks
from embspace.draw.page.saving import Results
from embspace.draw.sentences.difference_map import draw_map
from embspace.draw.sentences.difference_tables import at, cosine_matrix, difference_tables
from embspace.settings.types import Share

STAGE = "measure_differences"
HEIGHTS = [0.7, 0.7, 0.7, 1.15]  # of the four rows of panels, in relation
LARGEST_WRITTEN = 12  # categories whose cosines are written
N_TITLED = 2  # cosines that the title names


def draw_differences(
    results: Results,
    label: str,
    *,
    height_mm: PositiveFloat,
    arrows: list[str],
    bold_q_value: Share,
    n_listed: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw a map with arrows, the cosines of the means, and one cosine by layer and pooling.

    The categories `arrows` have an arrow and a color of their own. Cosines with a q-value under
    `bold_q_value` are bold; the table lists the `n_listed` of the largest size.
    """
    summary = results["json"]
    cosines = at(results["cosines"], summary)
    title = _finding(cosines, bold_q_value)
    subtitle = (
        f"{label} · {_population(results)}, second minus first sentence · gray bands: "
        "cosines of unrelated differences · "
        f"layer {summary['layer']}, {TEXT_POOLINGS[summary['pooling']].name}, unless said"
    )
    figure, axes = new_figure(
        4, 3, height_mm=height_mm, title=title, subtitle=subtitle, stage=STAGE
    )
    text = difference_tables(results, label, n_listed, digits)
    if results["categories"].empty:
        say_instead(axes, "no pairs of sentences that the model could read")
        return figure, text
    if grid := axes[0].get_gridspec():
        grid.set_height_ratios(HEIGHTS)
    beside = axes[2:9:3]
    draw_map(
        join_panels([ax for ax in axes[:8] if ax not in beside]), results["map"], summary, arrows
    )
    _matrix(join_panels(axes[9:]), cosines, bold_q_value)
    _bias_by_layer(beside, results["cosines"], summary["bias"])
    return figure, text


def _population(results: Results) -> str:
    n_categories = results["categories"]["category"].nunique()
    pairs = counted(results["json"]["n_pairs"], "pair")
    return f"{pairs} of sentences in {n_categories} categories"


def _finding(cosines: pd.DataFrame, bold_q_value: float) -> str:
    n = int(cosines["cosine"].notna().sum())
    found = cosines[cosines["q_value"] < bold_q_value]
    if not n:
        return "No two categories of sentence differences can be compared"
    if found.empty:
        return (
            f"No two categories of sentence differences are aligned or opposed: none of "
            f"{counted(n, 'cosine')} has q < {bold_q_value:g}"
        )
    largest = found.sort_values("cosine", key=abs, ascending=False, kind="stable")[:N_TITLED]
    named = [
        f"{row['category_1']} {'with' if row['cosine'] > 0 else 'against'} {row['category_2']} "
        f"({_number(row['cosine'])})"
        for row in largest.to_dict("records")
    ]
    more = " and others" if len(found) > N_TITLED else ""
    return (
        f"Sentence differences are aligned or opposed in {len(found)} of {n} pairs of categories: "
        f"{', '.join(named)}{more}"
    )


def _number(cosine: float) -> str:
    return f"{cosine:.2f}".replace("-", "−")


def _matrix(ax: Axes, cosines: pd.DataFrame, bold_q_value: float) -> None:
    """Draw the cosines of the means, with categories that are alike beside each other."""
    import seaborn as sns

    values = cosine_matrix(cosines, "cosine")
    if values.empty:
        say_instead([ax], "one category alone")
        return
    is_written = len(values) <= LARGEST_WRITTEN
    limit = np.ceil(10 * np.nanmax(np.abs(values.to_numpy()), initial=0.1)) / 10
    colors: dict[str, Any] = {"cmap": "RdBu_r", "vmin": -limit, "vmax": limit, "linewidths": 0.5}
    numbers = values.map(_number) if is_written else False
    words: dict[str, Any] = {"annot": numbers, "fmt": "", "annot_kws": {"fontsize": 7}}
    bar = {"label": "cosine", "pad": 0.01, "aspect": 18}
    sns.heatmap(values, ax=ax, cbar=not is_written, cbar_kws=bar, **colors, **words)
    small = cosine_matrix(cosines, "q_value").loc[values.index, values.columns] < bold_q_value
    written = small.to_numpy()[values.notna().to_numpy()]
    for text, is_bold in zip(ax.texts, written, strict=is_written):
        text.set_fontweight("bold" if is_bold else "normal")
    low, high = cosines["null_cosine_low"].min(), cosines["null_cosine_high"].max()
    ax.set_title(
        f"Cosines of the mean differences; bold: q < {bold_q_value:g}; unrelated differences: "
        f"{_number(low)} to {_number(high)}"
    )
    ax.set(xlabel="", ylabel="")
    ax.grid(visible=False)
    ax.tick_params(length=0)
    ax.tick_params(axis="x", rotation=25)


def _bias_by_layer(axes: Sequence[Axes], cosines: pd.DataFrame, bias: dict[str, Any]) -> None:
    """Draw the cosine of the two categories by layer, each pooling with its own null."""
    if not bias:
        say_instead(axes, "no cosine of the categories in bias_categories")
        return
    names = [bias["category_1"], bias["category_2"]]
    chosen = cosines[(cosines["category_1"] == names[0]) & (cosines["category_2"] == names[1])]
    for ax, (pooling, look) in zip(axes, pooling_looks(chosen["pooling"]).items(), strict=True):
        rows = chosen[chosen["pooling"] == pooling]
        shade(ax, rows, "layer", "null_cosine", color="0.88")
        shade(ax, rows, "layer", "cosine", color=look.color, alpha=0.25)
        ax.plot(rows["layer"], rows["cosine"], color=look.color, marker=look.marker, markersize=4)
        ax.axhline(0, color=GRAY, linewidth=0.6)
        ax.set(title=sentence_case(look.name), xlabel="layer" if ax is axes[-1] else "")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    bounds = chosen.filter(regex="cosine(_low|_high)$").filter(regex="^(null_)?cosine").abs()
    limit = min(1.0, 1.1 * float(np.nanmax(bounds.to_numpy(), initial=0.1)))
    for ax in axes:
        ax.set_ylim(-limit, limit)
    axes[1].set_ylabel(f"cosine of {names[0]} with {names[1]}")
