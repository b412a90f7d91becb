"""Stage `draw_layers`: figures and tables of the layers of a profiled model."""

from pathlib import Path

from embspace.draw.layers import (
    atlas,
    context,
    direction,
    encoders_decoders,
    hubs,
    information_imbalance,
    intrinsic_dimension,
    layer_maps,
    profile,
    spectrum,
)
from embspace.draw.page.saving import draw_and_save, drawings_of, functions_of
from embspace.settings.stage import StageConfig, run_stage

DRAWINGS = drawings_of(
    profile,
    atlas,
    direction,
    spectrum,
    context,
    intrinsic_dimension,
    hubs,
    information_imbalance,
    layer_maps,
    encoders_decoders,
    tables=Path(__file__).with_name("tables.yaml"),
)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    draw_and_save("layers", DRAWINGS, config.model_name, config.model["label"], config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS))
