"""Draws the figure and the table of `measure_separability`, for Luisto's first question."""

from typing import Any

import numpy as np
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
    say_absent,
)
from embspace.draw.page.looks import GRAY, SPACES
from embspace.draw.page.markdown import markdown_table, section
from embspace.draw.page.saving import Results

WORDS = {
    "raw": "Raw vectors",
    "unit_length": "Unit length",
    "centered_unit_length": "Centered, unit length",
}
BINS = 60
TOLD = 0.9  # balanced accuracy, from which on a plane is said to tell the kinds
CUT = 0.002  # share of the scores of a kind that each end of an axis leaves out


def draw_separability(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the held-out scores of tokens and positions by preparation, with the AUCs."""
    table, scores = _table_of(results["json"]), results["data/measured/separability.parquet"]
    figure, axes = new_figure(
        1,
        max(1, len(table)),
        height_mm=height_mm,
        title=_finding(table, label),
        subtitle=f"{label} · {_protocol(table)}",
        stage="measure_separability",
    )
    if table.empty:
        say_absent(axes, label, "positional")
        return figure, _table(table, label, digits)
    true = scores[scores["labels"] == "true"]
    for ax, (preparation, row) in zip(axes, table.iterrows(), strict=True):
        _distributions(ax, true[true["preparation"] == preparation])
        ax.set_title(row["preparation"], loc="left")
        ax.set_xlabel(
            f"score (log-odds of a position)\nAUC {_not_rounded_up(row['auc'])}, "
            f"labels shuffled {row['null_auc']:.2f}\n"
            f"positions right of 0: {_percent(row['positional_recall'])}",
            fontsize=7,
        )
    axes[0].set_ylabel("density of each kind")
    legend_below(figure, axes, ncols=3)
    return figure, _table(table, label, digits)


def _table_of(found: dict[str, Any]) -> pd.DataFrame:
    rows = {key: {"preparation": WORDS[key], **row} for key, row in found.items()}
    return pd.DataFrame.from_dict(rows, orient="index")


def _finding(table: pd.DataFrame, label: str) -> str:
    """Return the title: whether the plane tells the kinds, and where it only orders them."""
    if table.empty:
        return f"{label} has no position embeddings to tell from tokens"
    best = table.sort_values("auc").iloc[-1]
    auc = _not_rounded_up(best["auc"])
    if best["auc"] <= best["null_auc"] + 2 * best["null_auc_standard_deviation"]:
        return f"No linear classifier tells positions from tokens: AUC {auc} at best"
    best = table.sort_values("balanced_accuracy").iloc[-1]
    finding = f"A plane tells {_percent(best['positional_recall'])} of positions from tokens"
    worst = table.sort_values("balanced_accuracy").iloc[0]
    if worst["balanced_accuracy"] >= TOLD:
        return f"{finding} ({best['preparation'].lower()})"
    return (
        f"{finding} ({best['preparation'].lower()}), that of {worst['preparation'].lower()} "
        f"{_percent(worst['positional_recall'])}, though its AUC is {_not_rounded_up(worst['auc'])}"
    )


def _percent(share: float) -> str:
    """Return a share with so many digits that what it has, and what it lacks, can be read."""
    digits, least = 0, 100 * min(share, 1 - share)
    while least and least < 0.95 * 10**-digits:
        digits += 1
    return f"{100 * share:.{digits}f} %"


def _not_rounded_up(auc: float) -> str:
    """Return an AUC with so many digits that it is not 1 unless no pair is misordered."""
    digits = 2
    while auc < 1 and round(auc, digits) == 1:
        digits += 1
    return f"{auc:.{digits}f}"


def _distributions(ax: Axes, scores: pd.DataFrame) -> None:
    """Draw the density of the scores of each kind; the classifier decides at 0."""
    import seaborn as sns

    ranges = scores.groupby("is_labeled")["score"].quantile(np.array([CUT, 1 - CUT]))
    low, high = min(ranges.min(), 0), max(ranges.max(), 0)
    room = 0.05 * (high - low)
    for space, is_position in (("input", False), ("positional", True)):
        look = SPACES[space]
        sns.histplot(
            scores.loc[scores["is_labeled"] == is_position, "score"],
            ax=ax,
            stat="density",
            bins=BINS,
            binrange=(low, high),
            element="step",
            color=look.color,
            alpha=0.3,
            linestyle="--" if is_position else "-",
            label=look.name,
        )
    ax.axvline(0, color=GRAY, linewidth=0.8, linestyle=":", label="decision")
    ax.set(xlim=(low - room, high + room), yticks=[], ylabel="")


def _protocol(table: pd.DataFrame) -> str:
    if table.empty:
        return "nothing to tell apart"
    row = table.iloc[0]
    return (
        f"{count(row['n_input'])} against {counted(row['n_positional'], 'vector')} · logistic "
        f"regression, C = {row['inverse_regularization']:g} · scores of held-out vectors, "
        f"{counted(row['n_folds'], 'fold')}"
    )


def _table(table: pd.DataFrame, label: str, digits: int) -> str:
    heading = f"# Telling token from position embeddings of {label}\n\n"
    if table.empty:
        return f"{heading}Stage `measure_separability`.\n\n{absent(label, 'positional')}\n"
    return heading + section(
        "Held-out AUC and recall",
        "Stage `measure_separability`. The null is the same with shuffled labels; the standard "
        "deviation is over folds. The AUC is of the order of the scores, by whatever cut; recalls "
        "and balanced accuracy, their mean, are those of the plane itself.",
        markdown_table(table, digits),
    )
