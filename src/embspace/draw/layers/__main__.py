"""Stage `draw_layers`: figures and tables of the layers of a profiled model."""

from pathlib import Path

from embspace.draw.layers import (
    atlas,
    encoders_decoders,
    information_imbalance,
    layer_maps,
    profiles,
)
from embspace.draw.page.saving import draw_and_save, drawings_of, functions_of
from embspace.settings.stage import StageConfig, run_stage

TABLES = Path(__file__).with_name("tables.yaml")
DRAWINGS = (
    drawings_of(atlas, encoders_decoders, information_imbalance, layer_maps, tables=TABLES)
    | profiles.DRAWINGS
)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    draw_and_save("layers", DRAWINGS, config.model_name, config.model["label"], config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS))
