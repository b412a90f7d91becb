"""Stage `draw_trained`: figures and tables of the models that we train."""

from embspace.config import StageConfig, run_stage
from embspace.draw import checkpoints, dynamics, training, training_claims
from embspace.draw.results import Drawing, draw_and_save

DRAWINGS: dict[str, Drawing] = {
    "training": training.draw_training,
    "checkpoints": checkpoints.draw_checkpoints,
    "dynamics": dynamics.draw_dynamics,
    "training_claims": training_claims.draw_training_claims,
}
# Which results each takes.
RESULTS = {
    "training": training.RESULTS,
    "checkpoints": checkpoints.RESULTS,
    "dynamics": dynamics.RESULTS,
    "training_claims": training_claims.RESULTS,
}


def main(config: StageConfig) -> None:
    """Load, call, save."""
    label = config.train["label"]
    draw_and_save(DRAWINGS, RESULTS, config.train_name, label, config.settings)


if __name__ == "__main__":
    run_stage(main, DRAWINGS, groups=("train",))
