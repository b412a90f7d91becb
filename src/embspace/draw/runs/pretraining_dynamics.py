"""Draws figure and table of `measure_pretraining_dynamics`: a model's layers over its training."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.measure_names import name_of
from embspace.draw.page.saving import Results, draw_and_save, drawing_of, functions_of
from embspace.draw.runs.dynamics import NOTHING, series_of, tables_of
from embspace.draw.runs.pretraining_dynamics_layers import draw_over_training
from embspace.draw.runs.steps import LEAST, with_runs
from embspace.settings.stage import StageConfig, run_stage

STAGE = "measure_pretraining_dynamics"
TABLES = Path(__file__).with_name("tables.yaml")


def draw_pretraining_dynamics(
    results: Results,
    label: str,
    *,
    shown: list[str],
    height_mm: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw a line per layer over the checkpoints for every measure of `shown`; and tables.

    Below the tables stand the verdicts on the published claims.
    """
    table, claims = results["csv"], results["claims"]
    n_checkpoints = counted(table["step"].nunique(), "checkpoint")
    n_tokens = counted(table["n"].max() if len(table) else 0, "token")
    series = series_of(with_runs(table, label), shown)
    figure = draw_over_training(
        pd.concat(series.values()) if series else table[:0],
        height_mm,
        title=ways_of(series),
        subtitle=f"{label} · {n_checkpoints} that its makers published · {n_tokens}, the same · "
        "the title: means of the blocks, without layer 0",
        stage=STAGE,
    )
    more = [] if claims.empty else [_claims(claims, digits)]
    tables = (*tables_of(series, shown, digits), *more)
    return figure, tables_page(f"Pretraining dynamics of {label}", STAGE, *tables)


def ways_of(series: Mapping[str, pd.DataFrame]) -> str:
    """Return from where to where the mean of the blocks goes, by measure."""
    ways = []
    for measure, rows in (group for table in series.values() for group in table.groupby("measure")):
        mean = rows[rows["layer"] > 0].groupby("step")["value"].mean()
        first, last = mean.iloc[0], mean.iloc[-1]
        is_still = abs(last - first) <= LEAST * mean.abs().max()
        how = "stays near" if is_still else "rises from" if last > first else "falls from"
        end = "" if is_still else f" to {last:.2g}"
        ways.append(f"{name_of(str(measure))} {how} {first:.2g}{end}")
    return f"In the blocks, over pretraining, {' and '.join(ways)}" if ways else NOTHING


def _claims(table: pd.DataFrame, digits: int) -> str:
    shown = table.drop(columns="seed").assign(section=table["section"].astype(str))
    return section(
        "Claims on layers and training",
        "Razzhigaev et al. 2024 (arXiv 2311.05928), sections 4.1 to 4.3, asked of the model "
        "whatever its kind; `claimed_of` is the kind that they speak of. A claim depends on the "
        "rule where its verdict is another if the embeddings are one of the layers.",
        markdown_table(shown, digits),
    )


DRAWINGS = {"pretraining_dynamics": drawing_of(draw_pretraining_dynamics, TABLES)}


def main(config: StageConfig) -> None:
    """Load, call, save."""
    label = config.model["label"]
    draw_and_save("pretraining_dynamics", DRAWINGS, config.model_name, label, config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS))
