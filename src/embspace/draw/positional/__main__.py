"""Runs stage `draw_positional`: figures and tables of a model's position embeddings."""

from pathlib import Path

from embspace.draw.page.saving import draw_and_save, drawings_of, functions_of
from embspace.draw.positional import helix, positions, regimes, sinusoidal_positions
from embspace.settings.stage import StageConfig, run_stage

TABLES = Path(__file__).with_name("tables.yaml")
DRAWINGS = drawings_of(regimes, positions, helix, sinusoidal_positions, tables=TABLES)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    draw_and_save("positional", DRAWINGS, config.model_name, config.model["label"], config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS))
