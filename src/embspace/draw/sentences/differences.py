"""Draws the sentence differences of `measure_differences`: Luisto's figure 24."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import counted, new_figure, say_instead
from embspace.draw.page.looks import TEXT_POOLINGS
from embspace.draw.page.saving import Results
from embspace.draw.sentences.difference_map import draw_map
from embspace.draw.sentences.difference_tables import at, difference_tables
from embspace.settings.types import Share

STAGE = "measure_differences"
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
    """Draw a map of all differences, on which the categories `arrows` have arrows.

    The title names cosines with a q-value under `bold_q_value`; the table lists the `n_listed` of
    the largest size.
    """
    summary = results["json"]
    named = _largest(at(results["cosines"], summary), bold_q_value)
    where = f"layer {summary['layer']}, {TEXT_POOLINGS[summary['pooling']].name}"
    figure, (ax,) = new_figure(
        1,
        1,
        height_mm=height_mm,
        title=_finding(named),
        subtitle=f"{label} · {_population(results)}, second minus first sentence · {where} · the "
        f"title's cosines are of all dimensions, q < {bold_q_value:g}",
        stage=STAGE,
    )
    text = difference_tables(results, label, n_listed, digits)
    if results["categories"].empty:
        say_instead([ax], "no pairs of sentences that the model could read")
        return figure, text
    draw_map(ax, results["map"], summary, arrows)
    words = "\n".join(_cosine(row) for row in named.to_dict("records"))
    ax.text(0.01, 0.02, words, transform=ax.transAxes, fontsize=7)
    return figure, text


def _population(results: Results) -> str:
    n_categories = results["categories"]["category"].nunique()
    pairs = counted(results["json"]["n_pairs"], "pair")
    return f"{pairs} of sentences in {n_categories} categories"


def _largest(cosines: pd.DataFrame, bold_q_value: float) -> pd.DataFrame:
    """Return the rows of the largest cosines beyond chance, two at most."""
    beyond = cosines[cosines["q_value"] < bold_q_value]
    return beyond.sort_values("cosine", key=abs, ascending=False, kind="stable")[:N_TITLED]


def _finding(named: pd.DataFrame) -> str:
    if named.empty:
        return "No two categories of sentence differences are clearly aligned or opposed"
    return f"Sentence differences go along: {' and '.join(map(_cosine, named.to_dict('records')))}"


def _cosine(row: dict[Any, Any]) -> str:
    """Return two categories with their cosine in words."""
    relation = "with" if row["cosine"] > 0 else "against"
    number = f"{row['cosine']:.2f}".replace("-", "−")
    return f"{row['category_1']} {relation} {row['category_2']} ({number})"
