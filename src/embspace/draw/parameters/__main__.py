"""Stage `draw_parameters`: figures and tables of the parameters of a profiled model."""

from pathlib import Path

from embspace.draw.page.saving import draw_and_save, drawings_of, functions_of
from embspace.draw.parameters import (
    head_pairs,
    keep_k,
    parameter_vectors,
    related_parameters,
)
from embspace.settings.stage import StageConfig, run_stage

TABLES = Path(__file__).with_name("tables.yaml")
DRAWINGS = drawings_of(parameter_vectors, keep_k, related_parameters, head_pairs, tables=TABLES)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    draw_and_save("parameters", DRAWINGS, config.model_name, config.model["label"], config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS))
