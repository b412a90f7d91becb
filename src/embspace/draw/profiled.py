"""Stage `draw_profiled`: figures and tables of the layers of a model."""

from embspace.config import StageConfig, run_stage
from embspace.draw import (
    atlas,
    context,
    direction,
    encoders_decoders,
    intrinsic_dimension,
    neighbourhoods,
    spectrum,
)
from embspace.draw.results import Drawing, draw_and_save

DRAWINGS: dict[str, Drawing] = {
    "atlas": atlas.draw_atlas,
    "direction": direction.draw_direction,
    "spectrum": spectrum.draw_spectrum,
    "context": context.draw_context,
    "intrinsic_dimension": intrinsic_dimension.draw_intrinsic_dimension,
    "neighbourhoods": neighbourhoods.draw_neighbourhoods,
    "encoders_decoders": encoders_decoders.draw_encoders_decoders,
}
# Which results each takes.
RESULTS = {
    "atlas": atlas.RESULTS,
    "direction": direction.RESULTS,
    "spectrum": spectrum.RESULTS,
    "context": context.RESULTS,
    "intrinsic_dimension": intrinsic_dimension.RESULTS,
    "neighbourhoods": neighbourhoods.RESULTS,
    "encoders_decoders": encoders_decoders.RESULTS,
}


def main(config: StageConfig) -> None:
    """Load, call, save."""
    label = config.model["label"]
    draw_and_save(DRAWINGS, RESULTS, config.model_name, label, config.settings)


if __name__ == "__main__":
    run_stage(main, DRAWINGS)
