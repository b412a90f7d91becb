"""Draws what becomes of the measures of layers when weights have few bits."""

import re
from itertools import cycle
from typing import Literal

import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    HALO,
    counted,
    draw_line,
    new_figure,
    percent,
    say_instead,
    sentence_case,
    shade,
    write_beside,
)
from embspace.draw.page.looks import GRAY, Look
from embspace.draw.page.own_texts import corpus_called
from embspace.draw.page.saving import Results
from embspace.draw.page.sections import page_of_parts

STAGE = "measure_rounding"
FURTHER_RESULTS = ("conf/measure/open_questions/rounding.yaml",)
MEASURED_WITH = FURTHER_RESULTS[0]
KEPT = "neighbors_kept"
MEASURES = {
    "mean_cosine": "mean cosine of two tokens",
    "two_nn": "TwoNN dimension",
    "hubness": "hubness (k-occurrence skew)",
    "reciprocal_rank": "reciprocal rank of search",
}
ROOM = 0.12  # above and below the lines and bands that a panel shows whole, as a share of them
SCALES = {"row": "one scale a row", "block": "one scale a block"}
MARKERS = "osD^vPX"
FULL = "full precision, 95 % over texts"


def draw_rounding(
    results: Results,
    label: str,
    *,
    height_mm: PositiveFloat,
    scales: Literal["row", "block"],
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw a line per number of bits, over the layers; gray is full precision.

    Of the numbers of bits without a change, only the smallest is drawn. A panel cuts the line of
    the fewest bits at the range of the remaining lines, because beyond this range all values leave
    the intervals.
    """
    # Equal vectors have no neighbors, at full precision either.
    table, likeness = results["csv"].dropna(subset=["full"]), results["likeness"]
    shown, likeness = (rows[rows["scales"] == scales] for rows in (table, likeness))
    enough, few = _enough(shown)
    figure, axes = new_figure(
        2,
        3,
        height_mm=height_mm,
        title=_finding(shown, scales),
        subtitle=f"{label} · {_population(results, scales, few)}",
        stage=STAGE,
    )
    text = _tables(results, label, digits)
    if shown.empty:
        say_instead(axes, "the model reads no text")
        return figure, text
    bits = sorted(shown["bits"].unique(), reverse=True)
    looks = _looks([n for n in bits if enough is None or n <= enough])
    _lines(axes[0], likeness, KEPT, looks)
    axes[0].set(title="Share of neighbors kept")
    axes[0].yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    if few is not None:
        lost = _fewest_kept(likeness, few)
        words = f"{counted(few, 'bit')}: {percent(lost[KEPT])}"
        write_beside(axes[0], words, (lost["layer"], lost[KEPT]), (-4, -10), path_effects=HALO)
    for ax, measure in zip(axes[1:], MEASURES, strict=False):
        _measure(ax, shown[shown["measure"] == measure], looks, few)
        ax.set(title=sentence_case(MEASURES[measure]))
    for ax in axes[:-1]:
        ax.set_xlabel("layer")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
    axes[-1].set_axis_off()
    named = axes[1].get_legend_handles_labels()
    axes[-1].legend(*named, loc="center", title=_left(shown, few), alignment="left")
    return figure, text


def _population(results: Results, scales: Literal["row", "block"], few: int | None) -> str:
    counts, settings = results["json"], results[MEASURED_WITH]
    blocks = f" of {settings['block']} entries" if scales == "block" else ""
    return (
        f"weights rounded, {SCALES[scales]}{blocks} · {corpus_called(counts['corpus'])}: "
        f"{counted(counts['n_documents'], 'document')}, {counted(counts['n_tokens'], 'token')} · "
        f"neighbors: the {settings['n_neighbors']} nearest · search: second halves of texts among "
        "first halves · lines that leave a panel: fewest bits"
    ) + (f" · rings: values at {counted(few, 'bit')} that leave the band" if few else "")


def _measure(ax: Axes, rows: pd.DataFrame, looks: dict[int, Look], few: int | None) -> None:
    """Draw a measure by layer, and ring the value outside the interval at the most bits."""
    if rows.empty:
        say_instead([ax], "not defined on these texts")
        return
    most, fewest = rows["bits"].max(), rows["bits"].min()
    one = rows[rows["bits"] == most].sort_values("layer")
    shade(ax, one, "layer", "full", color=GRAY, alpha=0.45, label=FULL, zorder=2.5)
    _lines(ax, rows, "value", looks)
    _show_whole(ax, rows[rows["bits"] > fewest] if fewest < most else rows)
    left = rows[(rows["bits"] == few) & (rows["verdict"] != "keeps")]
    ax.plot(left["layer"], left["value"], "o", ms=9, mfc="none", color="black", mew=0.8)


def _enough(shown: pd.DataFrame) -> tuple[int | None, int | None]:
    """Return the fewest bits at which all measures keep, and the most with fewer."""
    kept = (shown["verdict"] == "keeps").groupby(shown["bits"]).mean()
    few = kept.index[kept < 1].max() if (kept < 1).any() else None
    whole = kept.index if few is None else kept.index[kept.index > few]
    return (whole.min() if len(whole) else None), few


def _fewest_kept(likeness: pd.DataFrame, bits: int) -> pd.Series:
    """Return the row of the layer that keeps the fewest neighbors."""
    return likeness[likeness["bits"] == bits].nsmallest(1, KEPT).iloc[0]


def _show_whole(ax: Axes, rows: pd.DataFrame) -> None:
    low = rows[["value", "full_low"]].min().min()
    high = rows[["value", "full_high"]].max().max()
    ax.set_ylim(low - ROOM * (high - low), high + ROOM * (high - low))


def _looks(bits: list[int]) -> dict[int, Look]:
    """Return looks for the numbers of bits, in a single ramp."""
    ramp = colormaps["viridis"]
    places = [0.85 * number / max(len(bits) - 1, 1) for number in range(len(bits))]
    return {
        n: Look(counted(n, "bit"), to_hex(ramp(place)), marker)
        for n, place, marker in zip(bits, places, cycle(MARKERS), strict=False)
    }


def _lines(ax: Axes, rows: pd.DataFrame, column: str, looks: dict[int, Look]) -> None:
    for bits, look in looks.items():
        own = rows[rows["bits"] == bits].sort_values("layer")
        draw_line(ax, own, "layer", column, look, ms=3)


def _finding(shown: pd.DataFrame, scales: Literal["row", "block"]) -> str:
    """Return the title: the fewest bits at which all measures keep, and the most with fewer."""
    if shown.empty:
        return "No weights to round"
    enough, few = _enough(shown)
    if few is None:
        down = f"down to {enough} bits, {SCALES[scales]}"
        return f"Every measure of every layer stays in its interval {down}"
    if enough is None:
        return "At no number of bits do all measures stay in their intervals"
    left = shown.loc[(shown["bits"] == few) & (shown["verdict"] != "keeps"), "measure"].unique()
    which = f"{_short_name(left[0])} does not" if len(left) == 1 else "some do not"
    return (
        f"With weights of {counted(enough, 'bit')}, {SCALES[scales]}, all measures stay in their "
        f"intervals; at {few} {which} (rings), and neighbors change (a)"
    )


def _short_name(measure: str) -> str:
    """Return the name of a measure without additions for panels."""
    return re.split(r" of | \(", MEASURES[measure])[0]


def _left(shown: pd.DataFrame, few: int | None) -> str:
    """Return how many measures of layers some bits move out of their intervals."""
    if few is None:
        return ""
    rows = shown[shown["bits"] == few]
    left = (rows["verdict"] != "keeps").sum()
    return f"{counted(few, 'bit')}: {left} of {len(rows)}\nvalues leave (rings)"


def _tables(results: Results, label: str, digits: int) -> str:
    table = results["csv"]
    verdicts = (
        table.groupby(["scales", "bits", "verdict"]).size().unstack(fill_value=0).reset_index()
        if len(table)
        else pd.DataFrame(columns=["scales", "bits"])
    )
    first = (
        "Verdicts",
        "Measures times layers. Keeps: inside the interval of full precision over texts; flips: "
        "outside by more than its width.",
        verdicts.rename_axis(columns=None),
    )
    more = [
        (
            "Error of the weights",
            "Of all matrices, by Frobenius norm.",
            results.for_readers("errors"),
        ),
        (
            "Likeness",
            "Of a token's state with its own state at full precision.",
            results.for_readers("likeness"),
        ),
        (
            "Measures",
            "With intervals over texts at full precision.",
            results.for_readers("csv"),
        ),
    ]
    return page_of_parts(f"Rounded weights of {label}", STAGE, digits, first, *more)
