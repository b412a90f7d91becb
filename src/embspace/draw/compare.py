"""Stage `draw_compare`: figures and tables of what compares the models of params.yaml."""

from embspace.config import StageConfig, run_stage
from embspace.draw import alignment, encoders_decoders, measures, training_claims, vocabularies
from embspace.draw.results import Drawing, draw_compared_and_save

DRAWINGS: dict[str, Drawing] = {
    "alignment": alignment.draw_alignment,
    "measures": measures.draw_measures,
    "encoders_decoders": encoders_decoders.draw_encoders_decoders,
    "training_claims": training_claims.draw_training_claims,
    "vocabularies": vocabularies.draw_vocabularies,
}
# Which results each takes.
RESULTS = {
    "alignment": alignment.RESULTS,
    "measures": measures.RESULTS,
    "encoders_decoders": encoders_decoders.RESULTS,
    "training_claims": training_claims.RESULTS,
    "vocabularies": vocabularies.RESULTS,
}


def main(config: StageConfig) -> None:
    """Load, call, save."""
    label = ", ".join(config.models)
    draw_compared_and_save(DRAWINGS, RESULTS, label, config.settings)


if __name__ == "__main__":
    run_stage(main, DRAWINGS, groups=())
