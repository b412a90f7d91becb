"""Figure and table of `compare_training_claims`: which claims hold, by run and seed."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.canvas import new_figure, say_instead
from embspace.draw.markdown import markdown_table, section

RESULTS = ("csv",)
COLORS = {"matches": "C2", "differs": "C1", "cannot be had": "0.8"}


def draw_training_claims(
    results: dict[str, pd.DataFrame],
    label: str,
    *,
    row_height_mm: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """One row a claim and run, one cell a seed: its verdict and its statistic."""
    table = results["csv"]
    pairs = table[["claim", "run"]].drop_duplicates()
    places = list(zip(pairs["claim"], pairs["run"], strict=True))
    figure, axes = new_figure(
        1,
        1,
        height_mm=row_height_mm * max(len(places), 3) + 32,
        title="What of the claims on training holds in our runs?",
        subtitle="Razzhigaev et al. 2024 · rules fixed before looking · one cell a seed",
        stage="compare_training_claims",
        drawn_by="draw_compare",
    )
    heading = "# Claims on training\n\nStage `compare_training_claims`.\n"
    if table.empty:
        say_instead(axes, "no run under `trained` in params.yaml, or none that models language")
        return figure, f"{heading}\nNone.\n"
    _cells(axes[0], table, places)
    text = section(
        "Verdicts, by seed",
        "Razzhigaev et al. 2024 (arXiv 2311.05928), sections 4.1 to 4.3.",
        markdown_table(table, digits),
    )
    return figure, f"{heading}\n{text}"


def _cells(ax: Axes, table: pd.DataFrame, places: list[tuple[str, str]]) -> None:
    seeds = sorted(table["seed"].unique())
    for number, (claim, run) in enumerate(places):
        rows = table[(table["claim"] == claim) & (table["run"] == run)]
        for _, row in rows.iterrows():
            x = seeds.index(row["seed"])
            color = COLORS[str(row["verdict"])]
            ax.barh(number, 0.94, left=x + 0.03, height=0.86, color=color, alpha=0.55)
            text = f"{row['verdict']}\n{row['value']:.2f}, {row['beside']:.2f}"
            ax.text(x + 0.5, number, text, ha="center", va="center", fontsize=6.5)
    names = [f"{claim}\n{run.replace('_', ' ')}" for claim, run in places]
    ax.set_yticks(range(len(places)), names, fontsize=7)
    ax.set_xticks(np.arange(len(seeds)) + 0.5, [f"seed {seed}" for seed in seeds])
    ax.set_ylim(len(places) - 0.5, -0.5)
    ax.set_xlim(0, len(seeds))
    ax.tick_params(length=0)
    ax.grid(visible=False)
