"""Tells how the layers of all runs' models change over training, from `measure_dynamics`."""

from collections.abc import Mapping, Sequence

import pandas as pd
from pydantic import NonNegativeInt

from embspace.draw.page.canvas import sentence_case
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.measure_names import name_of
from embspace.draw.page.saving import Results
from embspace.draw.runs.steps import (
    LEAST,
    MODEL,
    moves,
    rise_of,
    with_runs,
)

STAGE = "measure_dynamics"
DRAWN_IN = "training"
FURTHER_RESULTS = ("training/held_out.csv",)
KINDS = {"masked_language_modeling": "encoder", "causal_language_modeling": "decoder"}
NOTHING = "Nothing was measured over training"


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


def _finding(
    series: Mapping[str, pd.DataFrame], kinds: Mapping[str, str], shown: Sequence[str]
) -> str:
    """Return by run in how many models the blocks end higher than they start.

    Measures with the same finding share a sentence.
    """
    known = [series[name].assign(name=name) for name in series if name in kinds]
    if not known:
        return "No model that learns a language was measured over training"
    rows, said = pd.concat(known), dict[str, list[str]]()
    for measure in shown:
        by_run = rows[rows["measure"] == measure].groupby("name", sort=False)
        rises = [rise_of(blocks(run_rows), "value", str(run)) for run, run_rows in by_run]
        words = " and ".join(filter(None, [", ".join(rises[:-1]), *rises[-1:]]))
        said[words] = [*said.get(words, []), name_of(measure)] if rises else []
    sentences = [
        f"{' and '.join(names)} {'rises' if len(names) == 1 else 'rise'} in {words}"
        for words, names in said.items()
        if names
    ]
    return sentence_case("; ".join(sentences)) if sentences else NOTHING


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
