"""Figure and table of `measure_checkpoints`: learned matrices over the steps of training."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import QUANTITIES, new_figure
from embspace.draw.page.looks import SPACES
from embspace.draw.page.markdown import markdown_table, section
from embspace.draw.runs.training import show_steps
from embspace.files.tables import Tables

RESULTS = ("csv",)
SHOWN = ("norm", "cosine")


def draw_checkpoints(
    results: Tables, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """One row a phase, one panel a quantity: its mean over vectors or pairs, one line a seed."""
    table = results["csv"]
    phases = list(dict.fromkeys(table["phase"]))
    figure, axes = new_figure(
        len(phases),
        len(SHOWN),
        height_mm=row_height_mm * len(phases) + 15,
        title="How do the learned vectors change over training?",
        subtitle=f"{label} · all vectors, all pairs · one line a seed and space, shaded from the "
        "first to the third quartile",
        stage="measure_checkpoints",
    )
    for row, phase in enumerate(phases):
        for column, quantity in enumerate(SHOWN):
            ax = axes[row * len(SHOWN) + column]
            rows = table[(table["phase"] == phase) & (table["quantity"] == quantity)]
            _lines(ax, rows)
            ax.set(title=phase, ylabel=QUANTITIES[quantity])
            show_steps(ax, rows)
    axes[SHOWN.index("cosine")].legend()  # of pairs, so that every space is in it
    last = table[table["step"] == table.groupby("phase")["step"].transform("max")]
    return figure, "\n".join(
        [
            f"# Checkpoints of {label}\n\nStage `measure_checkpoints`.\n",
            section(
                "The last checkpoint of each phase",
                "As `measure_similarity` has it for any model.",
                markdown_table(last[last["quantity"].isin(SHOWN)], digits),
            ),
        ]
    )


def _lines(ax: Axes, rows: pd.DataFrame) -> None:
    for space, (words, color, *_) in SPACES.items():
        of_space = rows[rows["space"] == space]
        for place, (_, of_seed) in enumerate(of_space.groupby("seed", sort=False)):
            x = of_seed["step"]
            ax.plot(x, of_seed["mean"], color, marker=".", label="" if place else words)
            low, high = of_seed["quantile_0.25"], of_seed["quantile_0.75"]
            ax.fill_between(x, low, high, color=color, alpha=0.1, linewidth=0)
