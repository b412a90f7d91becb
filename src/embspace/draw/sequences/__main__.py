"""Stage `draw_sequences`: a page per analysis of classifiers of sequences."""

from pathlib import Path

from embspace.draw.page.saving import ALL_RUNS, draw_and_save, drawings_of, functions_of
from embspace.draw.sequences import attribution, class_flow, sequence_attention, stitching
from embspace.settings.stage import StageConfig, run_stage

TABLES = Path(__file__).with_name("tables.yaml")
DRAWINGS = drawings_of(class_flow, sequence_attention, attribution, stitching, tables=TABLES)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    draw_and_save("sequences", DRAWINGS, ALL_RUNS, "all runs", config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS), groups=())
