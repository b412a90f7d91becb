"""Runs the stage `draw_words`, which draws figures and tables of words in context."""

from pathlib import Path

from embspace.draw.page.saving import draw_and_save, drawings_of, functions_of
from embspace.draw.words import (
    evolution,
    evolution_shared,
    evolution_steps,
    homonyms,
    probing,
    token_paths,
    token_tracker,
)
from embspace.settings.stage import StageConfig, run_stage

TABLES = Path(__file__).with_name("tables.yaml")
DRAWINGS = drawings_of(
    probing,
    token_paths,
    evolution,
    evolution_steps,
    evolution_shared,
    homonyms,
    token_tracker,
    tables=TABLES,
)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    draw_and_save("words", DRAWINGS, config.model_name, config.model["label"], config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS))
