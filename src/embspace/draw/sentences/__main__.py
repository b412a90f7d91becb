"""Runs the stage `draw_sentences`, which draws figures and tables of sentences."""

from embspace.draw.page.saving import draw_and_save, drawings_of, functions_of
from embspace.draw.sentences import (
    difference_consistency,
    differences,
    sentence_similarity,
    synonyms,
)
from embspace.settings.stage import StageConfig, run_stage

DRAWINGS = drawings_of(sentence_similarity, synonyms, differences, difference_consistency)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    draw_and_save("sentences", DRAWINGS, config.model_name, config.model["label"], config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS))
