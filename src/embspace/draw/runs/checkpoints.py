"""Draws figure and table of `measure_checkpoints`: learned matrices over the steps of training."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    QUANTITIES,
    legend_below,
    new_figure,
    say_instead,
    sentence_case,
)
from embspace.draw.page.looks import CLOUDS, SPACES
from embspace.draw.page.markdown import folded, markdown_table, section
from embspace.draw.page.saving import Results
from embspace.draw.runs.steps import (
    LEAST,
    last_rows,
    moves,
    over_steps,
    rise_of,
    show_steps,
    size_of,
    with_runs,
)

SHOWN = ("norm", "cosine")


def draw_checkpoints(
    results: Results, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw a row for each run and phase, a column for norms and cosines: means by step and space.

    Each seed is a line in the look of its space. A phase in which no mean moves, as that of frozen
    matrices, is left to the table.
    """
    table = results["csv"] if results["csv"].empty else with_runs(results["csv"], label)
    groups = _groups(table)
    shown = {name: rows for name, rows in groups.items() if _moves(rows)}
    n_rows = max(len(shown), 1)
    figure, axes = new_figure(
        n_rows,
        len(SHOWN),
        height_mm=row_height_mm * n_rows + 32,
        title=_title(shown),
        subtitle=f"{size_of(table)} · all learned vectors and all their pairs · lines: the mean in "
        "each seed",
        stage="measure_checkpoints",
    )
    if not shown:
        say_instead(axes, "no learned matrix moves in any run")
    for row, (name, rows) in enumerate(shown.items()):
        for ax, quantity in zip(axes[len(SHOWN) * row :], SHOWN, strict=False):
            _lines(ax, rows[rows["quantity"] == quantity])
            ax.set_title(sentence_case(name) if quantity == SHOWN[0] else "")
            ax.set_ylabel(f"mean {QUANTITIES[quantity]}")
            ax.set_xlabel("step" if row == len(shown) - 1 else "")
    if shown:
        legend_below(figure, axes, ncols=3)
    return figure, _text(table, [name for name in groups if name not in shown], digits)


def _groups(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the rows of norms and cosines by run, and by phase from the second on."""
    groups = dict[str, pd.DataFrame]()
    if len(table):
        rows = table[table["quantity"].isin(SHOWN) & table["space"].isin(SPACES)]
        for (run, phase), each in rows.groupby(["run", "phase"], sort=False):
            groups[f"{run}, {phase}" if str(run) in groups else str(run)] = each
    return groups


def _moves(rows: pd.DataFrame) -> bool:
    by_quantity = rows.groupby("quantity")
    return any(moves(each, "mean", ["seed", "space"]) for _, each in by_quantity)


def _title(shown: Mapping[str, pd.DataFrame]) -> str:
    """Return in how many models the mean norm and cosine of token embeddings rise."""
    if not shown:
        return "Training moves no learned matrix"
    rows = pd.concat(shown.values())
    rows = rows[rows["space"] == next(iter(SPACES))]
    said = [
        f"mean {QUANTITIES[quantity]} of token embeddings in "
        + rise_of(rows[rows["quantity"] == quantity], "mean", "model")
        for quantity in SHOWN
    ]
    return f"Training raises the {' and the '.join(said)}"


def _lines(ax: Axes, rows: pd.DataFrame) -> None:
    """Draw the mean over the steps, each seed a line in the look of its space."""
    for space, look in SPACES.items():
        over_steps(ax, rows[rows["space"] == space], "mean", look=look)
    show_steps(ax, rows["step"])


def _text(table: pd.DataFrame, still: list[str], digits: int) -> str:
    """Return the last checkpoint of each phase; all statistics are folded."""
    heading = "# Checkpoints\n\nStage `measure_checkpoints`.\n"
    if table.empty:
        return f"{heading}\nNone.\n"
    last = last_rows(table[table["quantity"].isin(SHOWN)])
    last = last.assign(space=[(CLOUDS | SPACES)[space].name for space in last["space"]])
    note = "As `measure_similarity` has it for any model."
    columns = ["run", "seed", "phase", "step", "space", "quantity", "n", "mean"]
    words = f"Without a panel, within {LEAST:.0%} of the largest at all steps: {', '.join(still)}."
    means = markdown_table(last[[*columns, "standard_deviation"]], digits)
    every = folded(section("All statistics", note, markdown_table(last, digits)))
    title = "The last checkpoint of each phase"
    return "\n".join([heading, section(title, words if still else "", means), every])
