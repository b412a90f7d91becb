"""Lines over the steps of training, and the words for where they go, for all figures of runs."""

from collections.abc import Iterable, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from embspace.draw.page.canvas import counted, draw_line
from embspace.draw.page.looks import PALETTE, Look, run_name

LEAST = 0.05  # of the largest value, that one has to change by to be worth a panel
MODEL = ["run", "seed"]  # each seed of a run is a model of its own


def with_runs(table: pd.DataFrame, label: str) -> pd.DataFrame:
    """Return the table with a column `run` in words; the table of a single run has its label."""
    if "run" not in table:
        return table.assign(run=label)
    return table.assign(run=[run_name(str(run)) for run in table["run"]])


def size_of(table: pd.DataFrame) -> str:
    """Return the number of runs and of models; a run has a model for every seed."""
    if table.empty:
        return "0 runs"
    n_models = len(table.drop_duplicates(MODEL))
    return f"{counted(table['run'].nunique(), 'run')}, {counted(n_models, 'model')}"


def over_steps(ax: Axes, rows: pd.DataFrame, quantity: str, look: Look) -> None:
    """Draw a thin line for each seed over the steps, with intervals if any."""
    # A column that a logistic regression shares has its seeds as floats.
    for _, seed_rows in rows.groupby(rows["seed"].astype(int), sort=False):
        draw_line(ax, seed_rows, "step", quantity, look, band=0.12, ms=2.5, lw=0.8)


def run_looks(runs: Iterable[str]) -> dict[str, Look]:
    """Return the looks of the runs, shared by the seeds; an eighth run has the first's."""
    markers = "os^DvXP"
    return {
        run: Look(run, PALETTE[number % len(PALETTE)], markers[number % len(markers)])
        for number, run in enumerate(dict.fromkeys(runs))
    }


def moves(rows: pd.DataFrame, value: str, keys: Sequence[str]) -> bool:
    """Return whether a value changes over the steps enough for a panel, for any of `keys`."""
    by_step = rows.groupby([*keys, "step"])[value].mean().groupby(list(keys))
    largest = rows[value].abs().max()
    return bool(((by_step.max() - by_step.min()) > LEAST * largest).any())


def rise_of(rows: pd.DataFrame, value: str, noun: str) -> str:
    """Return in how many models, called `noun`, a value ends clearly above the start."""
    by_step = rows.sort_values("step").groupby(MODEL)[value]
    largest = rows.assign(size=rows[value].abs()).groupby(MODEL)["size"].max()
    n_up = int((by_step.last() - by_step.first() > LEAST * largest).sum())
    return f"{n_up} of {counted(len(largest), noun)}"


def log_ticks(axis: Axis) -> None:
    """Give a logarithmic axis ticks at 1, 2 and 5 of each power of ten, as plain numbers."""
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axis.set_minor_formatter(NullFormatter())


def show_steps(ax: Axes, steps: pd.Series) -> None:
    """Give a panel a logarithmic axis of steps with a place for step 0, whose marks are whole."""
    end = int(steps.max()) * 1.3
    ax.set_xscale("symlog", linthresh=1, linscale=0.5)
    ax.set_xlim(-0.3, end)
    ticks = [0, *(10**power for power in range(10) if 10**power <= end)]
    ax.set_xticks(ticks, map(short_step, ticks))
    ax.set_xlabel("step")


def short_step(step: int) -> str:
    """Return a step in full up to 1000, and a larger step as 10k or 1M."""
    thousands = f"{step // 1000}k" if step < 10**6 else f"{step // 10**6}M"
    return str(step) if step <= 1000 else thousands


def last_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the last checkpoint by run and phase, and rows without a checkpoint."""
    last = rows.groupby(["run", "phase"])["step"].transform("max")
    return rows[rows["step"].isna() | (rows["step"] == last)]
