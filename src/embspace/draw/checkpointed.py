"""Stage `draw_checkpointed`: figures and tables of a model over its published checkpoints."""

from embspace.config import StageConfig, run_stage
from embspace.draw import pretraining_dynamics
from embspace.draw.results import Drawing, draw_and_save

DRAWINGS: dict[str, Drawing] = {
    "pretraining_dynamics": pretraining_dynamics.draw_pretraining_dynamics,
}
# Which results each takes.
RESULTS = {
    "pretraining_dynamics": pretraining_dynamics.RESULTS,
}


def main(config: StageConfig) -> None:
    """Load, call, save."""
    label = config.model["label"]
    draw_and_save(DRAWINGS, RESULTS, config.model_name, label, config.settings)


if __name__ == "__main__":
    run_stage(main, DRAWINGS)
