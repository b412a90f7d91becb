"""Figure and tables of `measure_pretraining_head_dynamics`: where a model's heads look, by step."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted
from embspace.draw.page.saving import Results, draw_and_save, drawing_of, functions_of
from embspace.draw.runs.dynamics import series_of
from embspace.draw.runs.head_dynamics import NAMES, layer_means, table_of_heads
from embspace.draw.runs.pretraining_dynamics import ways_of
from embspace.draw.runs.pretraining_dynamics_layers import draw_over_training
from embspace.draw.runs.steps import with_runs
from embspace.settings.stage import StageConfig, run_stage

TABLES = Path(__file__).with_name("tables.yaml")


def draw_pretraining_head_dynamics(
    results: Results,
    label: str,
    *,
    shown: list[str],
    height_mm: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw a line a layer over the checkpoints for each feature of `shown`; and tables."""
    heads = with_runs(results["csv"], label)
    table = layer_means(heads).assign(change="as_is")
    series: Mapping[str, pd.DataFrame] = series_of(table, [NAMES[name] for name in shown])
    n_documents = int(heads["n_documents"].max()) if len(heads) else 0
    figure = draw_over_training(
        pd.concat(series.values()) if series else table[:0],
        height_mm,
        title=ways_of(series),
        subtitle=f"{label} · {counted(heads['step'].nunique(), 'checkpoint')} that its makers "
        f"published · {counted(n_documents, 'document')}, the same · mean of the heads",
        stage="measure_pretraining_head_dynamics",
    )
    head = f"# Attention heads of {label} over its pretraining\n\n"
    stage = "Stage `measure_pretraining_head_dynamics`.\n\n"
    return figure, head + stage + table_of_heads(heads, digits)


DRAWINGS = {"pretraining_head_dynamics": drawing_of(draw_pretraining_head_dynamics, TABLES)}


def main(config: StageConfig) -> None:
    """Load, call, save."""
    label = config.model["label"]
    draw_and_save("pretraining_head_dynamics", DRAWINGS, config.model_name, label, config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS))
