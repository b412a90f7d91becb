"""Runs the stage `draw_sentences`, which draws figures and tables of sentences."""

from pathlib import Path

from embspace.draw.page.saving import draw_and_save, drawings_of, functions_of
from embspace.draw.sentences import (
    difference_consistency,
    differences,
    sentence_meaning,
    sentence_similarity,
    synonyms,
)
from embspace.settings.stage import StageConfig, run_stage

TABLES = Path(__file__).with_name("tables.yaml")
DRAWINGS = drawings_of(
    sentence_meaning,
    sentence_similarity,
    synonyms,
    differences,
    difference_consistency,
    tables=TABLES,
)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    draw_and_save("sentences", DRAWINGS, config.model_name, config.model["label"], config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS))
