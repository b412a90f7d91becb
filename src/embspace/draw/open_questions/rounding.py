"""Draws what becomes of the measures of layers when weights have few bits."""

from itertools import cycle
from typing import Literal

import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, legend_below, new_figure, say_instead
from embspace.draw.page.looks import GRAY, Look
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.own_texts import corpus_called
from embspace.draw.page.saving import Results

STAGE = "measure_rounding"
FURTHER_RESULTS = ("conf/measure/open_questions/rounding.yaml",)
MEASURED_WITH = FURTHER_RESULTS[0]
LIKENESS = {
    "cosine": "cosine of a token with itself",
    "neighbors_kept": "share of neighbors kept",
}
MEASURES = {
    "mean_cosine": "mean cosine",
    "two_nn": "TwoNN dimension",
    "hubness": "hubness",
    "reciprocal_rank": "reciprocal rank of search",
}
SCALES = {"row": "one scale a row", "block": "one scale a block"}
MARKERS = "osD^vPX"
FULL = "full precision, 95 %"


def draw_rounding(
    results: Results,
    label: str,
    *,
    height_mm: PositiveFloat,
    scales: Literal["row", "block"],
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw a line for each number of bits, over the layers; gray is full precision."""
    table, likeness, counts = results["csv"], results["likeness"], results["json"]
    shown = table[table["scales"] == scales]
    settings = results[MEASURED_WITH]
    blocks = f" of {settings['block']} entries" if scales == "block" else ""
    figure, axes = new_figure(
        2,
        3,
        height_mm=height_mm,
        title=_finding(shown),
        subtitle=f"{label} · {SCALES[scales]}{blocks} · {corpus_called(counts['corpus'])}: "
        f"{counted(counts['n_documents'], 'document')}, {counted(counts['n_tokens'], 'token')}",
        stage=STAGE,
    )
    text = _tables(results, label, digits)
    if shown.empty:
        say_instead(axes, "the model reads no text")
        return figure, text
    looks = _looks(sorted(shown["bits"].unique(), reverse=True))
    for ax, (column, name) in zip(axes, LIKENESS.items(), strict=False):
        _lines(ax, likeness[likeness["scales"] == scales], column, looks)
        ax.set_title(name)
    for ax, (measure, name) in zip(axes[len(LIKENESS) :], MEASURES.items(), strict=True):
        rows = shown[shown["measure"] == measure]
        one = rows[rows["bits"] == rows["bits"].max()].sort_values("layer")
        ax.fill_between(
            one["layer"], one["full_low"], one["full_high"], color=GRAY, alpha=0.3, lw=0, label=FULL
        )
        _lines(ax, rows, "value", looks)
        ax.set_title(name)
    for ax in axes[3:]:
        ax.set_xlabel("layer")
    for ax in axes:
        ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
    legend_below(figure, axes[2:3], ncols=6)
    return figure, text


def _looks(bits: list[int]) -> dict[int, Look]:
    """Return a look for each number of bits, in one ramp."""
    ramp = colormaps["viridis"]
    places = [0.85 * number / max(len(bits) - 1, 1) for number in range(len(bits))]
    return {
        n: Look(counted(n, "bit"), to_hex(ramp(place)), marker)
        for n, place, marker in zip(bits, places, cycle(MARKERS), strict=False)
    }


def _lines(ax: Axes, rows: pd.DataFrame, column: str, looks: dict[int, Look]) -> None:
    for bits, look in looks.items():
        own = rows[rows["bits"] == bits].sort_values("layer")
        ax.plot(
            own["layer"], own[column], color=look.color, marker=look.marker, ms=3, label=look.name
        )


def _finding(shown: pd.DataFrame) -> str:
    """Return the title: the fewest bits at which all measures keep, and the most with fewer."""
    if shown.empty:
        return "No weights to round"
    kept = (shown["verdict"] == "keeps").groupby(shown["bits"]).mean()
    fewer = kept[kept < 1]
    whole = kept[kept.index > fewer.index.max()] if len(fewer) else kept
    if fewer.empty:
        return f"Every measure of every layer stays in its interval down to {kept.index.min()} bits"
    if whole.empty:
        return "At no number of bits do all measures stay in their intervals"
    enough, few = (counted(n, "bit") for n in (whole.index.min(), fewer.index.max()))
    return f"Down to {enough} all measures stay in their intervals; at {few} some do not"


def _tables(results: Results, label: str, digits: int) -> str:
    table = results["csv"]
    verdicts = (
        table.groupby(["scales", "bits", "verdict"]).size().unstack(fill_value=0).reset_index()
        if len(table)
        else pd.DataFrame(columns=["scales", "bits"])
    )
    first = section(
        "Verdicts",
        "Measures times layers. Keeps: inside the interval of full precision over texts; flips: "
        "outside by more than its width.",
        markdown_table(verdicts.rename_axis(columns=None), digits),
    )
    more = [
        section(
            "Error of the weights",
            "Of all matrices, by Frobenius norm.",
            markdown_table(results.for_readers("errors"), digits),
        ),
        section(
            "Likeness",
            "Of a token's state with its own state at full precision.",
            markdown_table(results.for_readers("likeness"), digits),
        ),
        section(
            "Measures",
            "With intervals over texts at full precision.",
            markdown_table(results.for_readers("csv"), digits),
        ),
    ]
    return tables_page(f"Rounded weights of {label}", STAGE, first, *more)
