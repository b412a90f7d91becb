"""Figure and table of `measure_checkpoints`: learned matrices over the steps of training."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import QUANTITIES, count, counted, legend_below, new_figure
from embspace.draw.page.looks import CLOUDS, GRAY, SPACES
from embspace.draw.page.markdown import folded, markdown_table, section
from embspace.draw.runs.training import LEAST, moves, over_steps, show_steps
from embspace.files.tables import Tables

RESULTS = ("csv",)
SHOWN = ("norm", "cosine")


def draw_checkpoints(
    results: Tables, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw a row for each phase and quantity, a column a space: its mean by step, a line a seed.

    A phase in which no mean moves is left to the table; of a run that moves none there is one
    panel.
    """
    table = results["csv"]
    spaces = [space for space in SPACES if space in set(table["space"])]
    keys = [(str(phase), each) for phase in dict.fromkeys(table["phase"]) for each in SHOWN]
    groups = {
        key: table[(table["phase"] == key[0]) & (table["quantity"] == key[1])] for key in keys
    }
    shown = {key: rows for key, rows in groups.items() if moves(rows, "mean", ["seed", "space"])}
    if not shown:
        shown, spaces = {keys[0]: groups[keys[0]]}, spaces[:1]
    figure, axes = new_figure(
        len(shown),
        len(spaces),
        height_mm=row_height_mm * len(shown) + 30,
        title=_title(shown),
        subtitle=f"{label} · {counted(table['seed'].nunique(), 'seed')} · {_sizes(table)} · "
        "all pairs · lines: means · band: first to third quartile of all seeds",
        stage="measure_checkpoints",
    )
    named = set[str]()
    for row, ((phase, quantity), rows) in enumerate(shown.items()):
        in_row = axes[row * len(spaces) :][: len(spaces)]
        for number, (ax, space) in enumerate(zip(in_row, spaces, strict=True)):
            if number:
                ax.sharey(in_row[0])
            of_space = rows[rows["space"] == space]
            _lines(ax, of_space)
            is_first = len(of_space) and space not in named
            ax.set_title(SPACES[space].name.capitalize() if is_first else "")
            named |= {space} if len(of_space) else set()
        in_row[0].set_ylabel(f"{QUANTITIES[quantity].capitalize()}\n{phase}")
    legend_below(figure, axes, ncols=4)
    return figure, _text(table, label, _still(groups), digits)


def _text(table: pd.DataFrame, label: str, still: str, digits: int) -> str:
    """Return the last checkpoint of each phase; all statistics are folded."""
    last = table[table["step"] == table.groupby("phase")["step"].transform("max")]
    last = last[last["quantity"].isin(SHOWN)]
    last = last.assign(space=[(CLOUDS | SPACES)[space].name for space in last["space"]])
    note = "As `measure_similarity` has it for any model."
    columns = ["seed", "phase", "step", "space", "quantity", "n", "mean", "standard_deviation"]
    heading = "The last checkpoint of each phase"
    return "\n".join(
        [
            f"# Checkpoints of {label}\n\nStage `measure_checkpoints`.\n",
            section(heading, still, markdown_table(last[columns], digits)),
            folded(section("All statistics", note, markdown_table(last, digits))),
        ]
    )


def _title(shown: Mapping[tuple[str, str], pd.DataFrame]) -> str:
    """Return from where to where the means of the first space go, over the first phase shown."""
    phase = next(iter(shown))[0]
    ways = []
    for (of_phase, quantity), rows in shown.items():
        space = next(space for space in SPACES if space in set(rows["space"]))
        mean = rows[rows["space"] == space].groupby("step")["mean"].mean()
        first, last = mean.iloc[0], mean.iloc[-1]
        way = f"stays at {first:z.2f}"
        if moves(rows[rows["space"] == space], "mean", ["seed"]):
            way = f"goes from {first:z.2f} to {last:z.2f}"
        if of_phase == phase:
            ways.append(f"the mean {quantity} of {SPACES[space].name} {way}")
    return f"Over {phase} {' and '.join(ways)}"


def _sizes(table: pd.DataFrame) -> str:
    n = table[table["quantity"] == "norm"].groupby("space")["n"].max()
    return ", ".join(f"{count(n[space])} {SPACES[space].name}" for space in SPACES if space in n)


def _lines(ax: Axes, rows: pd.DataFrame) -> None:
    if rows.empty:
        ax.set_axis_off()
        return
    quartiles = rows.groupby("step").agg(
        low=("quantile_0.25", "min"), high=("quantile_0.75", "max")
    )
    band: dict[str, Any] = {"color": GRAY, "alpha": 0.15, "linewidth": 0, "label": "quartiles"}
    ax.fill_between(quartiles.index, quartiles["low"], quartiles["high"], **band)
    over_steps(ax, rows, "mean")
    show_steps(ax, rows)


def _still(
    groups: Mapping[tuple[str, str], pd.DataFrame],
) -> str:
    """Return which means do not move, and so have no panel."""
    still = [
        f"{quantity} ({phase})"
        for (phase, quantity), rows in groups.items()
        if not moves(rows, "mean", ["seed", "space"])
    ]
    return f"Within {LEAST:.0%} of the largest at all steps: {', '.join(still)}." if still else ""
