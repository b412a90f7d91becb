"""Stage `draw_blocks`: figures and tables of the blocks of a profiled model."""

from pathlib import Path

from embspace.draw.blocks import information_stream, layer_roles, query_key_form
from embspace.draw.page.saving import draw_and_save, drawings_of, functions_of
from embspace.settings.stage import StageConfig, run_stage

TABLES = Path(__file__).with_name("tables.yaml")
DRAWINGS = drawings_of(information_stream, layer_roles, query_key_form, tables=TABLES)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    draw_and_save("blocks", DRAWINGS, config.model_name, config.model["label"], config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS))
