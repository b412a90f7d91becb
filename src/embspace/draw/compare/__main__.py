"""Stage `draw_compare`: figures and tables of what compares the models of params.yaml."""

from embspace.draw.compare import alignment, measures, vocabularies
from embspace.draw.page.saving import COMPARE, draw_and_save, drawings_of, functions_of
from embspace.settings.stage import StageConfig, run_stage

DRAWINGS = drawings_of(alignment, measures, vocabularies)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    draw_and_save("compare", DRAWINGS, COMPARE, ", ".join(config.models), config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS), groups=())
