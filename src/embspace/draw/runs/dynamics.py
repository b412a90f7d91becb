"""Figure and table of `measure_dynamics`: the layers of a run's models over their training."""

from dataclasses import dataclass

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, legend_below, new_figure, say_instead
from embspace.draw.page.markdown import markdown_table, section
from embspace.draw.page.measure_names import name_of
from embspace.draw.runs.training import LEAST, moves, over_steps, short_step, show_steps

RESULTS = ("csv",)
MOST_STEPS = 9  # that a map names
WIDE = 4.0  # times the smallest value, from which on colors and axes are logarithmic


@dataclass(frozen=True)
class Words:
    """What a figure of a geometry over training says besides its numbers."""

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
    """Draw a row for each phase and measure of `shown`: by layer and step, and the mean of blocks.

    The map has the mean of the seeds; beside it is the mean over the blocks, a line a seed. Layer
    0, the embeddings, may move far more than they do. What does not move has no row.
    """
    table = results["csv"]
    n_seeds, n = counted(table["seed"].nunique(), "seed"), table["n"].max() if len(table) else 0
    words = Words(
        subtitle=f"{label} · {n_seeds} · {counted(n, 'token')} of held-out texts · left: mean of "
        "seeds · right: mean of the blocks, without layer 0",
        heading=f"Dynamics of {label}",
        stage="measure_dynamics",
        empty=f"{label}: too few held-out documents",
    )
    return draw_over_training(table, words, shown, row_height_mm, digits)


def draw_over_training(
    table: pd.DataFrame, words: Words, shown: list[str], row_height_mm: float, digits: int
) -> tuple[Figure, str]:
    """The rows of `measure_dynamics`, or of what measures as it does, of vectors as they are."""
    table = table[table["change"] == "as_is"]
    phases = list(dict.fromkeys(table["phase"]))
    keys = [(str(phase), measure) for phase in phases for measure in shown]
    groups = {key: table[(table["phase"] == key[0]) & (table["measure"] == key[1])] for key in keys}
    measured = {key: rows.dropna(subset="value") for key, rows in groups.items()}
    moving = {key: rows for key, rows in measured.items() if moves(rows, "value", ["layer"])}
    drawn = moving or dict([each for each in measured.items() if len(each[1])][:1])
    n_rows = max(len(drawn), 1)
    figure, axes = new_figure(
        n_rows,
        2,
        height_mm=row_height_mm * n_rows + 34,
        title=_title(drawn),
        subtitle=words.subtitle,
        stage=words.stage,
    )
    heading = f"# {words.heading}\n\nStage `{words.stage}`.\n"
    if not drawn:
        say_instead(axes, words.empty)
        return figure, f"{heading}\nNone.\n"
    for number, ((phase, measure), rows) in enumerate(drawn.items()):
        by_layer, by_step = axes[2 * number : 2 * number + 2]
        name = name_of(measure)
        _by_layer(by_layer, rows)
        by_layer.set_title(f"{name[:1].upper()}{name[1:]}, {phase}")
        _by_step(by_step, rows)
        by_step.set_title("Mean of the blocks")
    if table["seed"].nunique() > 1:
        legend_below(figure, axes, ncols=4)
    still = [
        f"{name_of(measure)} ({phase})" for phase, measure in keys if (phase, measure) not in moving
    ]
    note = f"Within {LEAST:.0%} of the largest at all steps, or not measured: {', '.join(still)}."
    last = table[table["step"] == table.groupby("phase")["step"].transform("max")]
    wide = last[last["measure"].isin(shown)].pivot_table(
        "value", ["phase", "measure", "seed"], "layer", sort=False
    )
    named = wide.reset_index()
    named.columns = [each if isinstance(each, str) else f"layer {each}" for each in named]
    named = named.assign(measure=named["measure"].map(name_of))
    text = section(
        "The last checkpoint of each phase", note if still else "", markdown_table(named, digits)
    )
    return figure, f"{heading}\n{text}"


def _title(drawn: dict[tuple[str, str], pd.DataFrame]) -> str:
    """Return from where to where the mean of the blocks goes over the first phase drawn."""
    ways = []
    for (phase, measure), rows in drawn.items():
        mean = rows[rows["layer"] > 0].groupby("step")["value"].mean()
        if mean.empty or phase != next(iter(drawn))[0]:
            continue
        first, last = mean.iloc[0], mean.iloc[-1]
        is_still = abs(last - first) <= LEAST * mean.abs().max()
        how = "stays near" if is_still else "rises from" if last > first else "falls from"
        ways.append(
            f"{name_of(measure)} {how} {first:.2g}" + ("" if is_still else f" to {last:.2g}")
        )
    if not ways:
        return "Nothing was measured over training"
    return f"In the blocks, over {next(iter(drawn))[0]}, {' and '.join(ways)}"


def _by_layer(ax: Axes, rows: pd.DataFrame) -> None:
    """Draw the mean of the seeds by layer and step, logarithmic where values differ widely."""
    mean = rows.groupby(["layer", "step"])["value"].mean().unstack()
    low, high = mean.min().min(), mean.max().max()
    norm = LogNorm if 0 < WIDE * low < high else Normalize
    every = -(-mean.shape[1] // MOST_STEPS)
    numbers = [int(str(step)) for step in mean.columns]
    steps = [short_step(step) if n % every == 0 else "" for n, step in enumerate(numbers)]
    look = {"cmap": "viridis", "norm": norm(low, high), "xticklabels": steps, "yticklabels": "auto"}
    sns.heatmap(mean, ax=ax, cbar_kws={"format": StrMethodFormatter("{x:g}"), "pad": 0.02}, **look)
    if norm is LogNorm:
        scale = ax.figure.axes[-1].yaxis
        scale.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        scale.set_minor_formatter(NullFormatter())
    ax.invert_yaxis()
    ax.tick_params(length=0, rotation=0)
    ax.set(xlabel="Step", ylabel="Layer")
    ax.grid(visible=False)


def _by_step(ax: Axes, rows: pd.DataFrame) -> None:
    mean = rows[rows["layer"] > 0].groupby(["seed", "step"])["value"].mean().reset_index()
    over_steps(ax, mean, "value")
    low, high = mean["value"].min(), mean["value"].max()
    if 0 < WIDE * low < high:
        ax.set_yscale("log")
        ax.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        ax.yaxis.set_minor_formatter(NullFormatter())
    elif low >= 0:
        ax.set_ylim(0, 1.1 * high or 1)
    show_steps(ax, rows)
