"""Finds in dvc.yaml which results should exist, with or without a baseline."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

from embspace.errors import InputError
from embspace.published.contents import SUFFIXES
from embspace.published.sources import PUBLISHED
from embspace.settings.params import Params
from embspace.settings.pipeline import Stage, fill_item, read_stages
from embspace.verify.drift import Drift, FileReport

RESULTS = Path("results")
# The stages that decide claims on layers and training write verdicts and read no statements: those
# are in a file that verify alone reads, beside the verdicts.
STATED_IN = {
    **dict.fromkeys(
        ("measure_encoders_decoders", "measure_pretraining_dynamics", "measure_training_claims"),
        PUBLISHED / "razzhigaev_shape_of_learning.yaml",
    ),
    "measure_layer_roles": PUBLISHED / "bonino_layer_roles.yaml",
    "measure_parameter_alignment": PUBLISHED / "dar_layers_of_two_seeds.yaml",
    "measure_stitching": PUBLISHED / "dar_stitching.yaml",
    "measure_tuning_words": PUBLISHED / "dar_tuning_words.yaml",
}
LIST = re.compile(r"\$\{(\w+)\}")


def expected_results(params: Params) -> list[Path]:
    """Return the results expected from the stages for the names in params.yaml, in order."""
    paths = {Path(path) for stage in read_stages(Path()).values() for path in _paths(stage, params)}
    made = {path for path in paths if path.is_relative_to(RESULTS) and path.suffix in SUFFIXES}
    return sorted(path.relative_to(RESULTS) for path in made)


def with_missing(drift: Drift, expected: list[Path]) -> Drift:
    """Add to `drift` the expected results without a file and without a baseline.

    A model without any result is reported once.
    """
    known = {report.file for report in drift.files}
    gone = [
        FileReport(file, "MISSING", None, None)
        for file in expected
        if file not in known and file.stem not in drift.without_results
    ]
    return replace(
        drift, files=tuple(sorted([*drift.files, *gone], key=lambda report: report.file))
    )


def check_published_files() -> None:
    """Stop if a file of published numbers or claims that a stage of the graph takes is missing.

    Raises:
        InputError: naming the file and the stage.
    """
    for name, stage in read_stages(Path()).items():
        read = map(Path, map(str, stage.entry.get("deps", ())))
        stated = [STATED_IN[name]] if name in STATED_IN else []
        for path in [*filter(_is_published, read), *stated]:
            if not path.exists():  # a folder of kept verdicts is one of them
                use = "decides its claims" if path in stated else "reads it"
                raise InputError(f"{path}: not found, but stage {name} of {stage.graph} {use}")


def _is_published(path: Path) -> bool:
    return path.is_relative_to(PUBLISHED)


def _paths(stage: Stage, params: Params) -> Iterator[str]:
    """Yield the outputs of a stage for all items of the matrix."""
    lists = {key: _items(values, params) for key, values in stage.entry.get("matrix", {}).items()}
    for names in product(*lists.values()):
        item = dict(zip(lists, names, strict=True))
        yield from (fill_item(path, item) for path in stage.outputs())


def _items(values: object, params: Params) -> list[str]:
    if isinstance(values, list):
        return values
    named = LIST.fullmatch(str(values))
    return [*getattr(params, named[1])] if named else []
