"""Tells where the heads of all runs look over training, from `measure_head_dynamics`."""

from collections.abc import Mapping, Sequence

import pandas as pd
from pydantic import NonNegativeInt

from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results
from embspace.draw.page.wording import listed
from embspace.draw.runs.dynamics import kinds_of_runs, series_of, tables_of
from embspace.draw.runs.steps import LEAST, MODEL, last_rows, with_runs

STAGE = "measure_head_dynamics"
DRAWN_IN = "training"
FURTHER_RESULTS = ("dynamics/.csv", "training/held_out.csv")
CONE = "mean_resultant_length"
NAMES = {
    CONE: "cone index per token",
    "row_entropy": "entropy of attention",
    "previous_mass": "attention to the previous token",
    "next_mass": "attention to the next token",
    "self_mass": "attention to the token itself",
    "first_token_mass": "attention to the first token",
}
COLUMNS = [*MODEL, "phase", "step", "layer", "measure", "value"]


def draw_head_dynamics(
    results: Results, label: str, *, shown: list[str], digits: NonNegativeInt
) -> tuple[str, str]:
    """Return in which runs the `shown` features rise or fall, and tables of features and heads.

    A feature of a layer is the mean of the heads; the cone index of the same checkpoints' hidden
    states, over the number of tokens, comes from `measure_dynamics`.
    """
    heads = with_runs(results["csv"], label)
    cones = _cones(with_runs(results["dynamics"], label), heads)
    table = pd.concat([layer_means(heads), cones], ignore_index=True)
    kinds = kinds_of_runs(results["training/held_out"], label)
    names = [NAMES[feature] for feature in shown]
    series = series_of(table.assign(change="as_is"), names)
    finding = ways_of_runs({name: series[name] for name in series if name in kinds}, names)
    tables = (*tables_of(series, names, digits)[:1], table_of_heads(heads, digits))
    return finding, tables_page("Attention heads over training", STAGE, *tables)


def ways_of_runs(series: Mapping[str, pd.DataFrame], measures: Sequence[str]) -> str:
    """Return in which runs the mean of the blocks rises, or falls, in every seed, by measure."""
    said = []
    for measure in measures:
        ways: dict[str, list[str]] = {}
        for name, rows in series.items():
            ways.setdefault(_way(rows[rows["measure"] == measure]), []).append(name)
        said += [
            f"{measure} {way} in {listed(ways[way])}" for way in ("rises", "falls") if way in ways
        ]
    return f"Over training, {'; '.join(said)}" if said else "In no run do heads move in every seed"


def _way(rows: pd.DataFrame) -> str:
    """Return whether the mean of the blocks rises or falls in every seed; empty if neither."""
    by_seed = rows[rows["layer"] > 0].groupby(["seed", "step"])["value"].mean().unstack("step")
    if by_seed.empty:
        return ""
    change = by_seed.iloc[:, -1] - by_seed.iloc[:, 0]
    least = LEAST * by_seed.abs().max(axis="columns")
    return "rises" if (change > least).all() else "falls" if (change < -least).all() else ""


def layer_means(heads: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over the heads of each layer, as rows of a `measure` named for readers."""
    if heads.empty:
        return pd.DataFrame(columns=COLUMNS)
    keys = [*MODEL, "phase", "step", "layer", "feature"]
    means = heads.groupby(keys, sort=False)["value"].mean().reset_index()
    return means.assign(measure=means["feature"].map(NAMES))[COLUMNS]


def _cones(dynamics: pd.DataFrame, heads: pd.DataFrame) -> pd.DataFrame:
    """Return the cone index over n of the runs whose heads were measured."""
    if dynamics.empty or heads.empty:
        return pd.DataFrame(columns=COLUMNS)
    chosen = (dynamics["measure"] == CONE) & (dynamics["change"] == "as_is")
    rows = dynamics[chosen & dynamics["run"].isin(heads["run"]) & (dynamics["layer"] > 0)]
    return rows.assign(measure=NAMES[CONE])[COLUMNS]


def table_of_heads(heads: pd.DataFrame, digits: int) -> str:
    """Return the clearest head of every layer at the last checkpoint of every run, by feature."""
    if heads.empty:
        return "No checkpoint was read.\n"
    last = last_rows(heads)
    keys = ["run", "phase", "layer", "feature"]
    mean = last.groupby(keys, sort=False)["value"].agg(["mean", "max"]).reset_index()
    wide = mean.pivot_table(["mean", "max"], ["run", "phase", "layer"], "feature", sort=False)
    kinds, features = (wide.columns.get_level_values(level) for level in (0, 1))
    named = zip(features, kinds, strict=True)
    wide.columns = [f"{NAMES[feature]}, {_of(kind)}" for feature, kind in named]
    note = "Over the heads of a layer and the seeds: the mean, and the largest of a single head."
    return section("The last checkpoint", note, markdown_table(wide.reset_index(), digits))


def _of(kind: str) -> str:
    return "mean" if kind == "mean" else "largest"
