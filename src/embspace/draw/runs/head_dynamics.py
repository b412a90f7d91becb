"""Figure and tables of `measure_head_dynamics`: where the heads of all runs look, by step."""

import pandas as pd
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted
from embspace.draw.page.looks import MODELS
from embspace.draw.page.markdown import markdown_table, section
from embspace.draw.runs.dynamics import (
    draw_over_training,
    kinds_of_runs,
    rises_of_kinds,
    series_of,
)
from embspace.draw.runs.steps import MODEL, last_rows, size_of, with_runs
from embspace.files.tables import Tables

RESULTS = ("csv", "dynamics/.csv", "training/held_out.csv")
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
    results: Tables,
    label: str,
    *,
    shown: list[str],
    row_height_mm: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw a row for each run and phase: for each feature a map by layer, and the mean of blocks.

    A feature of a layer is the mean of its heads; the cone index of the same checkpoints' hidden
    states, over the number of tokens, is that of `measure_dynamics`.
    """
    heads = with_runs(results["csv"], label)
    cones = _cones(with_runs(results["dynamics/"], label), heads)
    table = pd.concat([of_layers(heads), cones], ignore_index=True)
    kinds = kinds_of_runs(results["training/held_out"], label)
    names = [NAMES[each] for each in shown]
    series = series_of(table.assign(change="as_is"), names)
    n_documents = int(heads["n_documents"].max()) if len(heads) else 0
    figure = draw_over_training(
        series,
        {name: MODELS[kinds[name]] for name in series if name in kinds},
        row_height_mm,
        title=rises_of_kinds(series, kinds, names),
        subtitle=f"{size_of(table)} · {counted(n_documents, 'held-out document')} of each run · "
        "maps: mean of seeds and heads, layers from 1 on · lines: each seed, mean of the blocks",
        stage="measure_head_dynamics",
    )
    head = "# Attention heads over training\n\nStage `measure_head_dynamics`.\n\n"
    return figure, head + table_of_heads(heads, digits)


def of_layers(heads: pd.DataFrame) -> pd.DataFrame:
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
    """Return the clearest head of each layer at the last checkpoint of each run, by feature."""
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
