"""Stage `draw_practice`: figures and tables of what people ask of embeddings in practice."""

from pathlib import Path

from embspace.draw.page.saving import draw_and_save, drawings_of, functions_of
from embspace.draw.practice import (
    compression,
    drift,
    outliers,
    redundancy,
    text_hubs,
    thresholds,
    transforms,
    word_uses,
)
from embspace.settings.stage import StageConfig, run_stage

TABLES = Path(__file__).with_name("tables.yaml")
DRAWINGS = drawings_of(
    text_hubs,
    thresholds,
    compression,
    transforms,
    drift,
    outliers,
    redundancy,
    word_uses,
    tables=TABLES,
)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    draw_and_save("practice", DRAWINGS, config.model_name, config.model["label"], config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS))
