"""Stage `draw_open_questions`: figures and tables of questions that the thesis leaves open."""

from pathlib import Path

from embspace.draw.open_questions import (
    associations,
    opposite_texts,
    oppositeness,
    position_shape,
    rounding,
    sparse_features,
    text_islands,
    vocabulary_clusters,
)
from embspace.draw.page.saving import draw_and_save, drawings_of, functions_of
from embspace.settings.stage import StageConfig, run_stage

DRAWINGS = drawings_of(
    associations,
    opposite_texts,
    oppositeness,
    position_shape,
    rounding,
    sparse_features,
    text_islands,
    vocabulary_clusters,
    tables=Path(__file__).with_name("tables.yaml"),
)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    label = config.model["label"]
    draw_and_save("open_questions", DRAWINGS, config.model_name, label, config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS))
