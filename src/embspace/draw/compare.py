"""Stage `draw_compare`: figures and tables of what compares the models of params.yaml."""

from embspace.config import StageConfig, run_stage
from embspace.draw import alignment, measures, vocabularies
from embspace.draw.results import Drawing, draw_compared_and_save

DRAWINGS: dict[str, Drawing] = {
    "alignment": alignment.draw_alignment,
    "measures": measures.draw_measures,
    "vocabularies": vocabularies.draw_vocabularies,
}
# Which results each takes.
RESULTS = {
    "alignment": alignment.RESULTS,
    "measures": measures.RESULTS,
    "vocabularies": vocabularies.RESULTS,
}


def main(config: StageConfig) -> None:
    """Load, call, save."""
    label = ", ".join(config.models)
    draw_compared_and_save(DRAWINGS, RESULTS, label, config.settings)


if __name__ == "__main__":
    run_stage(main, DRAWINGS, groups=())
