"""Figure and table of `measure_dynamics`: the layers of a run's models over their training."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, new_figure, say_instead
from embspace.draw.page.markdown import markdown_table, section
from embspace.draw.runs.training import show_steps

RESULTS = ("csv",)
NAMES = {"two_nn": "TwoNN dimension"}


@dataclass(frozen=True)
class Words:
    """What a figure of a geometry over training says besides its numbers."""

    title: str
    subtitle: str
    heading: str
    stage: str
    empty: str
    """In the place of all, where nothing was measured."""


def draw_dynamics(
    results: dict[str, pd.DataFrame],
    label: str,
    *,
    shown: list[str],
    row_height_mm: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """One row a phase and measure of `shown`: by layer at each step, and by step over the blocks.

    On the left the mean of the seeds; on the right the mean over the blocks, one line a seed.
    Layer 0, the embeddings, may move far more than they do.
    """
    n_seeds = counted(results["csv"]["seed"].nunique(), "seed")
    words = Words(
        title="How does the geometry of layers change over training?",
        subtitle=f"{label} · tokens of held-out texts · left: mean of {n_seeds}, "
        "right: mean of the blocks, without layer 0, one line a seed",
        heading=f"Dynamics of {label}",
        stage="measure_dynamics",
        empty=f"{label}: too few held-out documents",
    )
    return draw_over_training(results["csv"], words, shown, row_height_mm, digits)


def draw_over_training(
    table: pd.DataFrame, words: Words, shown: list[str], row_height_mm: float, digits: int
) -> tuple[Figure, str]:
    """The rows of `measure_dynamics`, or of what measures as it does, of vectors as they are."""
    table = table[table["change"] == "as_is"]
    phases = list(dict.fromkeys(table["phase"]))
    n_rows = max(len(phases), 1) * len(shown)
    figure, axes = new_figure(
        n_rows,
        2,
        height_mm=row_height_mm * n_rows + 18,
        title=words.title,
        subtitle=words.subtitle,
        stage=words.stage,
    )
    heading = f"# {words.heading}\n\nStage `{words.stage}`.\n"
    if table.empty:
        say_instead(axes, words.empty)
        return figure, f"{heading}\nNone.\n"
    places = [(phase, measure) for phase in phases for measure in shown]
    for number, (phase, measure) in enumerate(places):
        rows = table[(table["phase"] == phase) & (table["measure"] == measure)]
        name = _name(measure)
        if rows.empty:
            say_instead(axes[2 * number : 2 * number + 2], f"{phase}: {name} was not measured")
            continue
        _by_layer(axes[2 * number], rows)
        _by_step(axes[2 * number + 1], rows)
        for ax in axes[2 * number : 2 * number + 2]:
            ax.set(title=phase, ylabel=name)
    last = table[table["step"] == table.groupby("phase")["step"].transform("max")]
    wide = last[last["measure"].isin(shown)].pivot_table(
        "value", ["phase", "measure", "seed"], "layer", sort=False
    )
    named = wide.reset_index()
    named.columns = [each if isinstance(each, str) else f"layer {each}" for each in named]
    named = named.assign(measure=named["measure"].map(_name))
    text = section("The last checkpoint of each phase", "", markdown_table(named, digits))
    return figure, f"{heading}\n{text}"


def _name(measure: str) -> str:
    return NAMES.get(measure, measure.replace("_", " "))


def _by_layer(ax: Axes, rows: pd.DataFrame) -> None:
    """A line a step, from dark to light."""
    steps = sorted(rows["step"].unique())
    mean = rows.groupby(["step", "layer"])["value"].mean()
    for step, shade in zip(steps, np.linspace(0, 0.9, len(steps)), strict=True):
        of_step = mean.loc[step]
        named = str(step) if step in (steps[0], steps[len(steps) // 2], steps[-1]) else ""
        color = colormaps["viridis"](shade)
        ax.plot(of_step.index, of_step, color=color, marker=".", ms=3, label=named)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("layer")
    low, high = ax.get_ylim()
    ax.set_ylim(low, high + 0.3 * (high - low))  # room for the legend
    ax.legend(title="step", fontsize=6.5, ncols=3, loc="upper center")


def _by_step(ax: Axes, rows: pd.DataFrame) -> None:
    mean = rows[rows["layer"] > 0].groupby(["seed", "step"])["value"].mean()
    for number, seed in enumerate(mean.index.get_level_values("seed").unique()):
        of_seed = mean.loc[seed]
        ax.plot(of_seed.index, of_seed, f"C{number}", marker=".", label=f"seed {seed}")
    show_steps(ax, rows)
    if rows["seed"].nunique() > 1:
        ax.legend(fontsize=6.5)
