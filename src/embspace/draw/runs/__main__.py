"""Stage `draw_runs`: a page per analysis of the models that we train, over all runs."""

from pathlib import Path

from embspace.draw.page.saving import ALL_RUNS, draw_and_save, drawings_of, functions_of
from embspace.draw.runs import checkpoints, dynamics, head_dynamics, training, training_claims
from embspace.settings.stage import StageConfig, run_stage

TABLES = Path(__file__).with_name("tables.yaml")
DRAWINGS = drawings_of(
    training, checkpoints, dynamics, head_dynamics, training_claims, tables=TABLES
)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    draw_and_save("runs", DRAWINGS, ALL_RUNS, "all runs", config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS), groups=())
