"""Tells how the layers of all runs' models change over training, from `measure_dynamics`."""

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes
from pydantic import NonNegativeInt

from embspace.draw.page.canvas import sentence_case
from embspace.draw.page.looks import Look
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.measure_names import name_of
from embspace.draw.page.saving import Results
from embspace.draw.runs.steps import (
    LEAST,
    MODEL,
    moves,
    over_steps,
    rise_of,
    show_steps,
    with_runs,
)

STAGE = "measure_dynamics"
DRAWN_IN = "training"
FURTHER_RESULTS = ("training/held_out.csv",)
KINDS = {"masked_language_modeling": "encoder", "causal_language_modeling": "decoder"}
NOTHING = "Nothing was measured over training"
DIMENSION = "two_nn"


def draw_dynamics(
    results: Results, label: str, *, shown: list[str], digits: NonNegativeInt
) -> tuple[str, str]:
    """Return in how many models measures of the blocks rise, and tables of the `shown` ones."""
    table = with_runs(results["csv"], label)
    kinds = kinds_of_runs(results["training/held_out"], label)
    series = series_of(table, shown)
    return _finding(series, kinds, shown), tables_page(
        "Dynamics", STAGE, *tables_of(series, shown, digits)
    )


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


def _finding(
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
        found = [rise_of(blocks(each), "value", str(run)) for run, each in of_runs]
        words = " and ".join(filter(None, [", ".join(found[:-1]), *found[-1:]]))
        said[words] = [*said.get(words, []), name_of(measure)] if found else []
    sentences = [
        f"{' and '.join(names)} {'rises' if len(names) == 1 else 'rise'} in {words}"
        for words, names in said.items()
        if names
    ]
    return sentence_case("; ".join(sentences)) if sentences else NOTHING


def blocks(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over the blocks, without layer 0, of each model at each step."""
    of_blocks = rows[rows["layer"] > 0]
    return of_blocks.groupby([*MODEL, "step"], sort=False)["value"].mean().reset_index()


def draw_dimension(ax: Axes, table: pd.DataFrame, looks: Mapping[str, Look]) -> None:
    """Draw the TwoNN dimension over the steps, mean of the blocks, of the runs with a look."""
    rows = table[table["run"].isin(looks) & (table["change"] == "as_is")]
    rows = rows[(rows["measure"] == DIMENSION) & rows["value"].notna()]
    for run, of_run in rows.groupby("run", sort=False):
        first = of_run[of_run["phase"] == of_run["phase"].iloc[0]]
        over_steps(ax, blocks(first), "value", looks[str(run)])
    ax.set(ylabel=name_of(DIMENSION))
    ax.set_ylim(bottom=0)
    show_steps(ax, rows["step"])


def tables_of(
    series: Mapping[str, pd.DataFrame], shown: Sequence[str], digits: int
) -> tuple[str, ...]:
    """Return where the blocks of each series begin and end, and the last checkpoint by layer."""
    if not series:
        return ("None.\n",)
    rows = pd.concat([each.assign(trained=name) for name, each in series.items()])
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
        for name, each in series.items()
        for measure in shown
        if not moves(each[each["measure"] == measure], "value", ["layer"])
    ]
    note = f"Within {LEAST:.0%} of the largest at all steps, or not measured: {', '.join(still)}."
    wide = last.pivot_table("value", [*keys, "seed"], "layer", sort=False).reset_index()
    wide.columns = [each if isinstance(each, str) else f"layer {each}" for each in wide]
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
