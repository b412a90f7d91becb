"""Stage `draw_compare`: figures and tables of what compares two models."""

from embspace.draw.compare import alignment, measures, vocabularies
from embspace.draw.page.saving import draw_and_save, drawings_of, functions_of
from embspace.settings.stage import StageConfig, run_stage

DRAWINGS = drawings_of(alignment, measures, vocabularies)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    draw_and_save("compare", DRAWINGS, config.pair, config.pair, config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS), groups=("pair",))
