"""Runs the stage `draw_texts`, which draws figures and tables of clouds of texts."""

from pathlib import Path

from embspace.draw.page.saving import draw_and_save, drawings_of, functions_of
from embspace.draw.texts import (
    search,
    tasks,
    text_classification,
    text_clouds,
    text_clouds_layers,
    text_maps,
    two_corpora,
)
from embspace.settings.stage import StageConfig, run_stage

TABLES = Path(__file__).with_name("tables.yaml")
DRAWINGS = drawings_of(
    text_clouds,
    text_clouds_layers,
    two_corpora,
    text_maps,
    tasks,
    search,
    text_classification,
    tables=TABLES,
)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    draw_and_save("texts", DRAWINGS, config.model_name, config.model["label"], config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS))
