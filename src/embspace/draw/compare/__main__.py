"""Stage `draw_compare`: figures and tables of what compares two models."""

from pathlib import Path

from embspace.draw.compare import (
    alignment,
    measures,
    model_changes,
    model_imbalance,
    model_parameter_alignment,
    model_stitching,
    model_tuning_words,
    vocabularies,
)
from embspace.draw.page.saving import draw_and_save, drawings_of, functions_of
from embspace.settings.model import describe_model
from embspace.settings.params import PAIR, models_of
from embspace.settings.schema import read_yaml
from embspace.settings.stage import StageConfig, run_stage

TABLES = Path(__file__).with_name("tables.yaml")
DRAWINGS = drawings_of(
    alignment,
    measures,
    model_changes,
    model_imbalance,
    model_parameter_alignment,
    model_stitching,
    model_tuning_words,
    vocabularies,
    tables=TABLES,
)


def labels_of(pair: str) -> str:
    """Return the labels of two models, joined as their names are in the name of the pair."""
    descriptions = {name: Path(f"conf/model/{name}.yaml") for name in models_of(pair)}
    labels = (describe_model(name, read_yaml(file)).label for name, file in descriptions.items())
    return PAIR.join(_without_comma(label.replace(PAIR, "–")) for label in labels)


def _without_comma(label: str) -> str:
    """Return a label with the part after the comma in brackets, for sentences."""
    name, comma, rest = label.partition(", ")
    return f"{name} ({rest})" if comma else label


def main(config: StageConfig) -> None:
    """Load, call, save."""
    draw_and_save("compare", DRAWINGS, config.pair, labels_of(config.pair), config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS), groups=("pair",))
