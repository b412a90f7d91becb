"""Draws how the layers of all runs' models change over training, from `measure_dynamics`."""

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import legend_below, new_figure, say_instead, sentence_case
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.measure_names import name_of
from embspace.draw.page.saving import Results
from embspace.draw.runs.steps import (
    LEAST,
    MODEL,
    moves,
    over_steps,
    run_looks,
    show_steps,
    size_of,
    with_runs,
)

STAGE = "measure_dynamics"
FURTHER_RESULTS = ("training/held_out.csv",)
KINDS = {"masked_language_modeling": "encoder", "causal_language_modeling": "decoder"}
NOTHING = "Nothing was measured over training"
ENDS = {"higher": 1, "lower": -1}


def draw_dynamics(
    results: Results,
    label: str,
    *,
    shown: list[str],
    height_mm: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw the means over the blocks by step, a line a model, for each measure of `shown`.

    Only models that learn a language are drawn; the tables have all.
    """
    table = with_runs(results["csv"], label)
    kinds = kinds_of_runs(results["training/held_out"], label)
    series = series_of(table, shown)
    learning = [series[name].assign(name=name) for name in series if name in kinds]
    rows = pd.concat(learning) if learning else pd.DataFrame(columns=[*MODEL, "measure"])
    figure, axes = new_figure(
        1,
        len(shown),
        height_mm=height_mm,
        title=_finding(rows, shown),
        subtitle=f"{size_of(rows)} that learn a language · blocks: all layers but 0 · a line a "
        "seed · step 0: random weights",
        stage=STAGE,
    )
    if rows.empty:
        say_instead(axes, NOTHING)
    looks = run_looks(rows["run"])
    for ax, measure in zip(axes, shown, strict=True):
        own = rows[rows["measure"] == measure]
        for run, run_rows in own.groupby("run", sort=False):
            over_steps(ax, blocks(run_rows), "value", looks[str(run)])
        if len(own):
            ax.set_title(sentence_case(name_of(measure)))
            show_steps(ax, own["step"])
    if looks:
        axes[0].set_ylabel("mean over the blocks")
        legend_below(figure, axes, ncols=len(looks))
    return figure, tables_page("Dynamics", STAGE, *tables_of(series, shown, digits))


def kinds_of_runs(held_out: pd.DataFrame, label: str) -> dict[str, str]:
    """Return by run whether the model learns as an encoder or a decoder; other runs are left out.

    `held_out` is the table of held-out losses of `measure_training`.
    """
    if held_out.empty:
        return {}
    objectives = with_runs(held_out, label).drop_duplicates("run")[["run", "objective"]]
    return {
        str(run): KINDS[str(objective)] for run, objective in objectives.itertuples(index=False)
    }


def series_of(table: pd.DataFrame, shown: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Return the drawn rows by run; from a run's second phase on, its name has the phase."""
    if table.empty:
        return {}
    rows = table[(table["change"] == "as_is") & table["measure"].isin(shown)]
    series = dict[str, pd.DataFrame]()
    for (run, phase), phase_rows in rows.dropna(subset="value").groupby(
        ["run", "phase"], sort=False
    ):
        series[f"{run}, {phase}" if str(run) in series else str(run)] = phase_rows
    return series


def _finding(rows: pd.DataFrame, shown: Sequence[str]) -> str:
    """Return in which runs the blocks of all models end higher than they start, and lower.

    Measures with the same finding share a sentence.
    """
    if rows.empty:
        return "No model that learns a language was measured over training"
    said = dict[tuple[str, ...], list[str]]()
    for measure in shown:
        own = rows[rows["measure"] == measure]
        if own.empty:
            continue
        by_run = own.groupby("run", sort=False)
        ends = {str(run): end_of(blocks(run_rows)) for run, run_rows in by_run}
        words = tuple(
            f"{word} in all {' and '.join(f'{run}s' for run in ends if ends[run] == word)}"
            for word in ENDS
            if word in ends.values()
        )
        said[words] = [*said.get(words, []), name_of(measure)]
    sentences = [
        f"{' and '.join(names)} of blocks {'is' if len(names) == 1 else 'are'} "
        f"{', '.join(words) or 'neither higher nor lower in all models of a run'}"
        for words, names in said.items()
    ]
    return f"After training, {'; '.join(sentences)}"


def end_of(rows: pd.DataFrame) -> str:
    """Return whether a value ends clearly above, or below, its start in all models."""
    by_step = rows.sort_values("step").groupby(MODEL)["value"]
    change = by_step.last() - by_step.first()
    least = LEAST * rows.assign(size=rows["value"].abs()).groupby(MODEL)["size"].max()
    return next((word for word, sign in ENDS.items() if (sign * change > least).all()), "")


def blocks(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over the blocks, without layer 0, by model and step."""
    block_rows = rows[rows["layer"] > 0]
    return block_rows.groupby([*MODEL, "step"], sort=False)["value"].mean().reset_index()


def tables_of(
    series: Mapping[str, pd.DataFrame], shown: Sequence[str], digits: int
) -> tuple[str, ...]:
    """Return where the blocks of each series begin and end, and the last checkpoint by layer."""
    if not series:
        return ("None.\n",)
    rows = pd.concat([part.assign(trained=name) for name, part in series.items()])
    step = rows.groupby("trained")["step"]
    first, last = (rows[rows["step"] == step.transform(end)] for end in ("min", "max"))
    keys = ["trained", "measure"]
    ends = pd.DataFrame(
        {
            name: part[part["layer"] > 0].groupby(keys, sort=False)["value"].mean()
            for name, part in (("first checkpoint", first), ("last checkpoint", last))
        }
    ).reset_index()
    still = [
        f"{name_of(measure)} ({name})"
        for name, rows_of_series in series.items()
        for measure in shown
        if not moves(rows_of_series[rows_of_series["measure"] == measure], "value", ["layer"])
    ]
    note = f"Within {LEAST:.0%} of the largest at all steps, or not measured: {', '.join(still)}."
    wide = last.pivot_table("value", [*keys, "seed"], "layer", sort=False).reset_index()
    wide.columns = [column if isinstance(column, str) else f"layer {column}" for column in wide]
    return (
        section(
            "Over training",
            f"Means over the blocks, without layer 0, and seeds. {note if still else ''}".strip(),
            markdown_table(_named(ends), digits),
        ),
        section("The last checkpoint", "", markdown_table(_named(wide), digits)),
    )


def _named(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(measure=rows["measure"].map(name_of)).rename(columns={"trained": "run"})
