"""Figure and table of `measure_pretraining_dynamics`: a model's layers over its training."""

import pandas as pd
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted
from embspace.draw.page.saving import Drawing, draw_and_save, functions_of
from embspace.draw.runs.dynamics import Words, draw_over_training
from embspace.settings.stage import StageConfig, run_stage

RESULTS = ("csv",)


def draw_pretraining_dynamics(
    results: dict[str, pd.DataFrame],
    label: str,
    *,
    shown: list[str],
    row_height_mm: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """One row a measure of `shown`: by layer at each step, and by step, the mean of the blocks.

    Drawn as `draw_dynamics` draws what we train ourselves.
    """
    n_checkpoints = counted(results["csv"]["step"].nunique(), "checkpoint")
    words = Words(
        title="How did the geometry of layers change over pretraining?",
        subtitle=f"{label} · {n_checkpoints} that its makers published, of the same tokens · "
        "right: mean of the blocks, without layer 0",
        heading=f"Pretraining dynamics of {label}",
        stage="measure_pretraining_dynamics",
        empty=f"{label}: too few documents",
    )
    return draw_over_training(results["csv"], words, shown, row_height_mm, digits)


DRAWINGS = {"pretraining_dynamics": Drawing(draw_pretraining_dynamics, RESULTS)}


def main(config: StageConfig) -> None:
    """Load, call, save."""
    label = config.model["label"]
    draw_and_save("pretraining_dynamics", DRAWINGS, config.model_name, label, config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS))
