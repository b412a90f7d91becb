"""Runs the stage `draw_attention`, which draws figures and tables of attention."""

from pathlib import Path

from embspace.draw.attention import attention_patterns, head_features, head_map, word_order
from embspace.draw.page.saving import draw_and_save, drawings_of, functions_of
from embspace.settings.stage import StageConfig, run_stage

TABLES = Path(__file__).with_name("tables.yaml")
DRAWINGS = drawings_of(head_features, head_map, attention_patterns, word_order, tables=TABLES)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    draw_and_save("attention", DRAWINGS, config.model_name, config.model["label"], config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS))
