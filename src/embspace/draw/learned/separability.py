"""Figure and table of `measure_separability`: research question 1 of Luisto's thesis."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import absent, count, counted, new_figure, say_absent
from embspace.draw.page.markdown import markdown_table, section

RESULTS = ("json",)


def draw_separability(
    results: dict[str, Any], label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """The AUC by preparation, beside that of shuffled labels."""
    rows = [{"preparation": key.replace("_", " "), **row} for key, row in results["json"].items()]
    table = pd.DataFrame(rows)
    figure, (ax,) = new_figure(
        1,
        1,
        height_mm=height_mm,
        title="Telling input from positional embeddings",
        subtitle=f"{label} · {_protocol(table)}",
        stage="measure_separability",
    )
    if table.empty:
        say_absent([ax], label, "positional")
        return figure, _table(table, label, digits)
    for mean, spread, color, name in (
        ("auc", "auc_standard_deviation", "C0", "true labels"),
        ("null_auc", "null_auc_standard_deviation", "0.5", "shuffled labels"),
    ):
        ax.errorbar(
            table[mean], table["preparation"], xerr=table[spread], fmt="o", color=color, label=name
        )
    ax.axvline(0.5, color="0.7", linewidth=0.8, linestyle="--")
    lowest = min(table["auc"].min(), table["null_auc"].min())
    ax.set(xlabel="area under the ROC curve, held out", xlim=(min(0.4, lowest - 0.05), 1.02))
    ax.invert_yaxis()
    ax.margins(y=0.3)
    ax.legend(loc="center")
    return figure, _table(table, label, digits)


def _protocol(table: pd.DataFrame) -> str:
    if table.empty:
        return "nothing to tell apart"
    row = table.iloc[0]
    return (
        f"{count(row['n_input'])} against {counted(row['n_positional'], 'vector')} · logistic "
        f"regression, C = {row['inverse_regularization']:g} · {counted(row['n_folds'], 'fold')}, "
        "bars: standard deviation between them"
    )


def _table(table: pd.DataFrame, label: str, digits: int) -> str:
    heading = f"# Telling input from positional embeddings of {label}\n\n"
    if table.empty:
        return f"{heading}Stage `measure_separability`.\n\n{absent(label, 'positional')}\n"
    return heading + section(
        "Held-out AUC",
        "Stage `measure_separability`. The null is the same with shuffled labels.",
        markdown_table(table, digits),
    )
