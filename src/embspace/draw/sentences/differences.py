"""Draws the sentence differences of `measure_differences`: Luisto's figure 24."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import (
    ARROW,
    HALO,
    counted,
    join_panels,
    legend_below,
    new_figure,
    say_instead,
    write_beside,
)
from embspace.draw.page.looks import BLACK, GRAY, TEXT_POOLINGS
from embspace.draw.page.saving import Results
from embspace.draw.page.wording import numeral
from embspace.draw.sentences.difference_map import draw_map
from embspace.draw.sentences.difference_tables import at, difference_tables
from embspace.settings.types import Share

STAGE = "measure_differences"
N_TITLED = 2  # cosines that the title names
N_SHOWN = 8  # cosines with a row
WIDTHS = [1.5, 1.0]  # of the map and the cosines
HEIGHTS = [5.0, 1.0]  # of these and the sentences


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
    """Draw a map of all differences, on which the categories `arrows` have arrows.

    Those of the title alone have colors if it names any. It names cosines with a q-value under
    `bold_q_value`; the table lists the `n_listed` of the largest size.
    """
    summary = results["json"]
    cosines = _largest(at(results["cosines"], summary))
    named = cosines[cosines["q_value"] < bold_q_value][:N_TITLED]
    where = f"layer {summary['layer']}, {TEXT_POOLINGS[summary['pooling']].name}"
    figure, axes = new_figure(
        2,
        2,
        height_mm=height_mm,
        title=_finding(named, _reach(cosines[:N_SHOWN])),
        subtitle=f"{label} · {_population(results)}, second minus first sentence · {where} · "
        f"title: q < {bold_q_value:g} · bars: 95 % intervals",
        stage=STAGE,
    )
    text = difference_tables(results, label, n_listed, digits)
    if results["categories"].empty:
        say_instead(axes, "no pairs of sentences that the model could read")
        return figure, text
    if grid := axes[0].get_gridspec():
        grid.set_width_ratios(WIDTHS)
        grid.set_height_ratios(HEIGHTS)
    titled = [*pd.unique(named[["category_1", "category_2"]].to_numpy().ravel())]
    _sentences(join_panels(axes[2:]), results["examples"], titled)
    draw_map(axes[0], results["map"], summary, arrows, titled)
    if cosines.empty:
        say_instead(axes[1:2], "one category alone")
    else:
        _cosines(axes[1], cosines[:N_SHOWN], len(cosines))
        legend_below(figure, axes[1:2], ncols=2)
    return figure, text


def _population(results: Results) -> str:
    n_categories = results["categories"]["category"].nunique()
    pairs = counted(results["json"]["n_pairs"], "pair")
    return f"{pairs} of sentences in {n_categories} categories"


def _largest(cosines: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that have a cosine, the largest by size first."""
    known = cosines.dropna(subset=["cosine"])
    return known.sort_values("cosine", key=abs, ascending=False, kind="stable")


def _cosines(ax: Axes, rows: pd.DataFrame, n: int) -> None:
    """Draw a row for two categories of `n`: the cosine of their means, over the null."""
    y, reach = range(len(rows)), _reach(rows)
    null: dict[str, Any] = {
        "color": "0.8",
        "linewidth": 6,
        "label": f"unrelated sentences{f', 95 % within {reach}' if reach else ''}",
    }
    ax.hlines(y, rows["null_cosine_low"], rows["null_cosine_high"], **null)
    ax.hlines(y, rows["cosine_low"], rows["cosine_high"], color=BLACK, linewidth=1)
    ax.plot(rows["cosine"], y, "o", color=BLACK, ms=4, label="two categories")
    for place in zip(rows["cosine"], y, strict=True):
        words = numeral(place[0], 2)
        write_beside(ax, words, place, (0, 5), ha="center", path_effects=HALO)
    ax.axvline(0, color=GRAY, linewidth=0.6)
    ax.set_yticks(y, [f"{a}\n{b}" for a, b in rows[["category_1", "category_2"]].to_numpy()])
    title = f"Largest of {n} pairs of categories" if n > len(rows) else "Pairs of categories"
    ax.set(ylim=(len(rows) - 0.5, -0.6), xlabel="cosine of the means", title=title)
    ax.grid(visible=False, axis="y")


def _sentences(ax: Axes, examples: pd.DataFrame, categories: list[str]) -> None:
    """Write a pair of sentences of every category in the title."""
    ax.set_axis_off()
    rows = examples.set_index("category").loc[categories]
    words = [f"{row.Index}:  {row.first}{ARROW}{row.second}" for row in rows.itertuples()]
    ax.text(0, 1, "\n".join(words), fontsize=7, va="top", linespacing=1.5)


def _reach(cosines: pd.DataFrame) -> str:
    """Return how far from 0 cosines of unrelated sentences lie; nothing if it is not known."""
    largest = cosines[["null_cosine_low", "null_cosine_high"]].abs().max().max()
    return "" if pd.isna(largest) else f"±{largest:.2f}"


def _finding(named: pd.DataFrame, null: str) -> str:
    if named.empty:
        return "No two categories of sentence differences are clearly aligned or opposed"
    said = ", ".join(map(_cosine, named.to_dict("records")))
    both = "both " if len(named) > 1 else ""
    beside = f", {both}beyond unrelated sentences" if null else ""
    return f"Differences of sentences go {said}{beside}"


def _cosine(row: dict[Any, Any]) -> str:
    """Return two categories with their cosine in words."""
    relation = "with" if row["cosine"] > 0 else "against"
    number = numeral(row["cosine"], 2)
    return f"{row['category_1']} {relation} {row['category_2']} ({number})"
