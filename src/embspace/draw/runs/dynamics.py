"""Draws what `measure_dynamics` found: the layers of all runs' models over their training."""

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import count, legend_below, new_figure, say_instead, sentence_case
from embspace.draw.page.looks import BLACK, MODELS, Look
from embspace.draw.page.markdown import markdown_table, section
from embspace.draw.page.measure_names import name_of
from embspace.draw.page.saving import Results
from embspace.draw.runs.steps import (
    LEAST,
    MODEL,
    log_ticks,
    moves,
    over_steps,
    rise_of,
    short_step,
    show_steps,
    size_of,
    with_runs,
)

FURTHER_RESULTS = ("training/held_out.csv",)
KINDS = {"masked_language_modeling": "encoder", "causal_language_modeling": "decoder"}
MOST_STEPS, MOST_LAYERS = 4, 5  # that a map names
WIDE = 4.0  # times the smallest value, from which on colors and axes are logarithmic
CLASSIFIER = Look("classifier", BLACK)
AROUND_MM = 42.0  # that heading, scales and legend take
NOTHING = "Nothing was measured over training"


def draw_dynamics(
    results: Results,
    label: str,
    *,
    shown: list[str],
    row_height_mm: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw a row for each run and phase: for each measure a map by layer, and the mean of blocks.

    The map has the mean of the seeds; the mean over the blocks has a line for each seed, in the
    look of encoders or decoders. A phase in which nothing moves has no row.
    """
    table = with_runs(results["csv"], label)
    kinds = kinds_of_runs(results["training/held_out"], label)
    series = series_of(table, shown)
    figure = draw_over_training(
        series,
        {name: MODELS[kinds[name]] for name in series if name in kinds},
        row_height_mm,
        title=_title(series, kinds, shown),
        subtitle=f"{size_of(table)} · up to {count(table['n'].max() if len(table) else 0)} tokens "
        "of held-out texts · maps: layers (upward) by steps, mean of seeds, colors for layers 1 "
        "and up · lines: each seed, mean of the blocks",
        stage="measure_dynamics",
    )
    return figure, f"# Dynamics\n\nStage `measure_dynamics`.\n\n{table_of(series, shown, digits)}"


def kinds_of_runs(held_out: pd.DataFrame, label: str) -> dict[str, str]:
    """Return by run whether it learns as an encoder or as a decoder; others are left out.

    `held_out` is the table of held-out losses of `measure_training`.
    """
    if held_out.empty:
        return {}
    objectives = with_runs(held_out, label).drop_duplicates("run")[["run", "objective"]]
    return {str(run): KINDS[str(each)] for run, each in objectives.itertuples(index=False)}


def series_of(table: pd.DataFrame, shown: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Return what is drawn by the name of the run, and of its phase from the second on."""
    if table.empty:
        return {}
    rows = table[(table["change"] == "as_is") & table["measure"].isin(shown)]
    series = dict[str, pd.DataFrame]()
    for (run, phase), of_phase in rows.dropna(subset="value").groupby(["run", "phase"], sort=False):
        series[f"{run}, {phase}" if str(run) in series else str(run)] = of_phase
    return series


def _title(
    series: Mapping[str, pd.DataFrame], kinds: Mapping[str, str], shown: Sequence[str]
) -> str:
    """Return of each run in how many models the blocks end higher than they begin.

    Measures of which the same is true share a sentence.
    """
    known = [series[name].assign(name=name) for name in series if name in kinds]
    if not known:
        return "No model that learns a language was measured over training"
    rows, said = pd.concat(known), dict[str, list[str]]()
    for measure in shown:
        of_runs = rows[rows["measure"] == measure].groupby("name", sort=False)
        found = [rise_of(_blocks(each), "value", str(run)) for run, each in of_runs]
        words = " and ".join(filter(None, [", ".join(found[:-1]), *found[-1:]]))
        said[words] = [*said.get(words, []), name_of(measure)] if found else []
    sentences = [
        f"{' and '.join(names)} {'rises' if len(names) == 1 else 'rise'} in {words}"
        for words, names in said.items()
        if names
    ]
    return sentence_case("; ".join(sentences)) if sentences else NOTHING


def _blocks(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over the blocks, without layer 0, of each model at each step."""
    of_blocks = rows[rows["layer"] > 0]
    return of_blocks.groupby([*MODEL, "step"], sort=False)["value"].mean().reset_index()


def draw_over_training(
    series: Mapping[str, pd.DataFrame],
    looks: Mapping[str, Look],
    row_height_mm: float,
    *,
    title: str,
    subtitle: str,
    stage: str,
) -> Figure:
    """Draw a row for each series that moves, or the first if none does; lines are in its look."""
    moving = {name: rows for name, rows in series.items() if _moves(rows)}
    drawn = moving or dict([*series.items()][:1])
    measures = list(dict.fromkeys(each for rows in drawn.values() for each in rows["measure"]))
    figure, axes = new_figure(
        max(len(drawn), 1),
        2 * max(len(measures), 1),
        height_mm=row_height_mm * max(len(drawn), 1) + AROUND_MM,
        title=title,
        subtitle=subtitle,
        stage=stage,
    )
    if not drawn:
        say_instead(axes, "too few documents, or nothing was trained")
        return figure
    for place, measure in enumerate(measures):
        of_measure = {
            name: rows[rows["measure"] == measure].assign(series=name)
            for name, rows in drawn.items()
        }
        maps, lines = (
            list(axes[start :: 2 * len(measures)]) for start in (2 * place, 2 * place + 1)
        )
        _maps(figure, maps, list(of_measure.values()))
        _lines(lines, of_measure, looks)
        maps[0].set_title(sentence_case(name_of(measure)))
        lines[0].set_title("Mean of blocks")
        for ax, name in zip(maps if place == 0 else [], drawn, strict=False):
            ax.set_ylabel(name.replace(", ", "\n").replace(" ", "\n", 1))
    legend_below(figure, axes, ncols=4)
    return figure


def _moves(rows: pd.DataFrame) -> bool:
    return any(moves(each, "value", ["layer"]) for _, each in rows.groupby("measure"))


def _scale(values: pd.Series) -> tuple[type[Normalize], float, float]:
    """Return the norm and the ends of a scale that holds values, logarithmic for wide ranges."""
    low, high = float(values.min()), float(values.max())
    return (LogNorm if 0 < WIDE * low < high else Normalize), low, high


def _maps(figure: Figure, axes: Sequence[Axes], rows: Sequence[pd.DataFrame]) -> None:
    """Draw the mean of the seeds by layer and step, with one scale of colors for all series."""
    import seaborn as sns

    means = [each.groupby(["layer", "step"])["value"].mean().unstack() for each in rows]
    of_blocks = pd.concat([each[each["layer"] > 0] for each in rows])
    keys = ["series", "layer", "step"]
    norm, low, high = _scale(of_blocks.groupby(keys)["value"].mean())
    for ax, mean in zip(axes, means, strict=True):
        every = -(-mean.shape[1] // MOST_STEPS)
        numbers = [int(str(step)) for step in mean.columns]
        steps = [short_step(step) if n % every == 0 else "" for n, step in enumerate(numbers)]
        layers = -(-mean.shape[0] // MOST_LAYERS)
        look = {"cmap": "viridis", "norm": norm(low, high), "cbar": False}
        sns.heatmap(mean, ax=ax, xticklabels=steps, yticklabels=layers, **look)
        ax.invert_yaxis()
        ax.tick_params(length=0, rotation=0)
        ax.set(xlabel="step" if ax is axes[-1] else "", ylabel="")
        ax.grid(visible=False)
    bar = figure.colorbar(
        axes[0].collections[0], ax=list(axes), location="bottom", aspect=25, pad=0.01, extend="both"
    )
    bar.outline.set_visible(False)
    if norm is LogNorm:
        log_ticks(bar.ax.xaxis)


def _lines(
    axes: Sequence[Axes], rows: Mapping[str, pd.DataFrame], looks: Mapping[str, Look]
) -> None:
    """Draw the mean of the blocks over the steps, with one axis for all series."""
    steps = pd.concat([each["step"] for each in rows.values()])
    for ax, (name, each) in zip(axes, rows.items(), strict=True):
        over_steps(ax, _blocks(each), "value", look=looks.get(name, CLASSIFIER))
        if ax is not axes[0]:
            ax.sharey(axes[0])
        show_steps(ax, steps)
        if ax is not axes[-1]:
            ax.set(xlabel="", xticklabels=[])
    norm, low, high = _scale(pd.concat([_blocks(each)["value"] for each in rows.values()]))
    if norm is LogNorm:
        axes[0].set(yscale="log", ylim=(low / 1.1, high * 1.1))
        log_ticks(axes[0].yaxis)
    elif low >= 0:
        axes[0].set_ylim(0, 1.1 * high or 1)


def table_of(series: Mapping[str, pd.DataFrame], shown: Sequence[str], digits: int) -> str:
    """Return the last checkpoint of each series by layer, and which do not move."""
    if not series:
        return "None.\n"
    rows = pd.concat([each.assign(trained=name) for name, each in series.items()])
    last = rows[rows["step"] == rows.groupby("trained")["step"].transform("max")]
    wide = last.pivot_table("value", ["trained", "measure", "seed"], "layer", sort=False)
    named = wide.reset_index()
    named.columns = [each if isinstance(each, str) else f"layer {each}" for each in named]
    named = named.assign(measure=named["measure"].map(name_of)).rename(columns={"trained": "run"})
    still = [
        f"{name_of(measure)} ({name})"
        for name, each in series.items()
        for measure in shown
        if not moves(each[each["measure"] == measure], "value", ["layer"])
    ]
    note = f"Within {LEAST:.0%} of the largest at all steps, or not measured: {', '.join(still)}."
    return section("The last checkpoint", note if still else "", markdown_table(named, digits))
