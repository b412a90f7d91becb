"""Runs the stage `draw_toys`: drawings of clouds with known geometry."""

from pathlib import Path

from embspace.draw.page.saving import draw_and_save, drawings_of, functions_of
from embspace.draw.toys import cubes, estimators, grammar, hopf_link
from embspace.settings.stage import StageConfig, run_stage

TABLES = Path(__file__).with_name("tables.yaml")
DRAWINGS = drawings_of(hopf_link, cubes, estimators, grammar, tables=TABLES)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    draw_and_save("toys", DRAWINGS, "toy", "a toy, no model", config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS), groups=())
