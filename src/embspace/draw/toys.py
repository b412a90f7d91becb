"""Stage `draw_toys`: figures and tables of what is measured without a model."""

from embspace.config import StageConfig, run_stage
from embspace.draw import cubes, estimators, hopf_link
from embspace.draw.results import Drawing, draw_and_save

DRAWINGS: dict[str, Drawing] = {
    "hopf_link": hopf_link.draw_hopf_link,
    "cubes": cubes.draw_cubes,
    "estimators": estimators.draw_estimators,
}
# Which results each takes.
RESULTS = {
    "hopf_link": hopf_link.RESULTS,
    "cubes": cubes.RESULTS,
    "estimators": estimators.RESULTS,
}


def main(config: StageConfig) -> None:
    """Load, call, save."""
    draw_and_save(DRAWINGS, RESULTS, "toy", "a toy, no model", config.settings)


if __name__ == "__main__":
    run_stage(main, DRAWINGS, groups=())
