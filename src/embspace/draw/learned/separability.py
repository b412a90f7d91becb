"""Figure and table of `measure_separability`: research question 1 of Luisto's thesis."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    absent,
    count,
    counted,
    legend_below,
    new_figure,
    percent,
    say_absent,
)
from embspace.draw.page.looks import GREEN, NULLS, Look
from embspace.draw.page.markdown import markdown_table, section

RESULTS = ("json",)
LABELS = Look("true labels", GREEN, "o")
WORDS = {
    "raw": "raw vectors",
    "unit_length": "unit length",
    "centered_unit_length": "centered, unit length",
}


def draw_separability(
    results: dict[str, Any], label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """The share of misordered pairs by preparation, beside that of shuffled labels."""
    table = _table_of(results["json"])
    figure, (ax,) = new_figure(
        1,
        1,
        height_mm=height_mm,
        title=_finding(table, label),
        subtitle=f"{label} · {_protocol(table)}",
        stage="measure_separability",
    )
    if table.empty:
        say_absent([ax], label, "positional")
        return figure, _table(table, label, digits)
    # Fewer misordered pairs than one cannot be told from none.
    least = 1 / float(table["n_input"].iloc[0] * table["n_positional"].iloc[0])
    _dots(ax, table, "null_auc", NULLS["labels_shuffled"], least)
    _dots(ax, table, "auc", LABELS, least)
    left = float((1 - table["auc"]).clip(lower=least).min()) / 20
    ax.set(xscale="log", xlim=(left, 1), xlabel="misordered pairs, held out (1 − AUC)")
    ax.xaxis.set_major_formatter(lambda share, _: percent(share))
    ax.invert_yaxis()
    ax.margins(y=0.3)
    legend_below(figure, [ax], ncols=2)
    return figure, _table(table, label, digits)


def _table_of(found: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame([{"preparation": WORDS[key], **row} for key, row in found.items()])


def _finding(table: pd.DataFrame, label: str) -> str:
    if table.empty:
        return f"{label} has no position embeddings to tell from tokens"
    best = float(table["auc"].max())
    return (
        "A linear classifier ranks positions above tokens in up to "
        f"{_not_rounded_up(best)} of pairs"
    )


def _not_rounded_up(share: float) -> str:
    """Return a share in percent, with so many digits that it is not 100 % unless all are."""
    digits = 0
    while share < 1 and round(100 * share, digits) == 100:
        digits += 1
    return f"{100 * share:.{digits}f} %"


def _dots(ax: Axes, table: pd.DataFrame, name: str, look: Look, least: float) -> None:
    """Draw 1 − AUC of each preparation, its bar cut where the axis, a logarithm, ends."""
    share = (1 - table[name]).clip(lower=least)
    spread = table[f"{name}_standard_deviation"]
    bars = (share - (share - spread).clip(lower=least), spread)
    # One that misorders none has no place on the axis: hollow, at less than one pair.
    marks: dict[str, Any] = {"color": look.color, "label": look.name, "fmt": look.marker or "|"}
    ax.errorbar(share, table["preparation"], xerr=bars, markersize=5, **marks)
    for x, y in zip(share, table["preparation"], strict=True):
        ax.annotate(percent(x), (x, y), (0, 6), textcoords="offset points", ha="center", fontsize=7)


def _protocol(table: pd.DataFrame) -> str:
    if table.empty:
        return "nothing to tell apart"
    row = table.iloc[0]
    return (
        f"{count(row['n_input'])} against {counted(row['n_positional'], 'vector')} · logistic "
        f"regression, C = {row['inverse_regularization']:g} · {counted(row['n_folds'], 'fold')}, "
        "bars: their standard deviation"
    )


def _table(table: pd.DataFrame, label: str, digits: int) -> str:
    heading = f"# Telling token from position embeddings of {label}\n\n"
    if table.empty:
        return f"{heading}Stage `measure_separability`.\n\n{absent(label, 'positional')}\n"
    return heading + section(
        "Held-out AUC",
        "Stage `measure_separability`. The null is the same with shuffled labels.",
        markdown_table(table, digits),
    )
