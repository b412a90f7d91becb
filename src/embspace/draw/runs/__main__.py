"""Stage `draw_runs`: figures and tables of a model that we train, over its training."""

from embspace.draw.page.saving import draw_and_save, drawings_of, functions_of
from embspace.draw.runs import checkpoints, dynamics, training, training_claims
from embspace.settings.stage import StageConfig, run_stage

DRAWINGS = drawings_of(training, checkpoints, dynamics, training_claims)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    draw_and_save("runs", DRAWINGS, config.train_name, config.train["label"], config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS), groups=("train",))
