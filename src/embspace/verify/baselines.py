"""Finds the results with a baseline, and makes baselines: tests/baselines/ mirrors results/."""

import shutil
from collections.abc import Collection, Mapping
from pathlib import Path

from embspace.errors import InputError
from embspace.files.atomic import writing
from embspace.published.contents import SUFFIXES
from embspace.settings.params import TOY, Params

BASELINES = Path("tests/baselines")
# Folders of tables about several models, named in the first column.
SEVERAL = ("encoders_decoders",)
# Keys of params.yaml -> folders of what dvc.yaml measures of the models that stand there alone.
OF_SOME = {
    "profiled": (
        "atlas",
        "associations",
        "opposite_texts",
        "oppositeness",
        "position_shape",
        "rounding",
        "sparse_features",
        "text_islands",
        "vocabulary_clusters",
        "context",
        "direction",
        "encoders_decoders",
        "head_pairs",
        "intrinsic_dimension",
        "hubs",
        "information_imbalance",
        "layer_maps",
        "information_stream",
        "keep_k",
        "label_overlap",
        "layer_choice",
        "layer_roles",
        "parameter_vectors",
        "query_key_form",
        "related_parameters",
        "spectrum",
        "compression",
        "drift",
        "outliers",
        "redundancy",
        "text_hubs",
        "thresholds",
        "transforms",
        "word_uses",
    ),
    "checkpointed": ("pretraining_dynamics", "pretraining_head_dynamics"),
}
ListedModels = Mapping[str, Collection[str]]
"""Keys of `OF_SOME` -> the models named under the key."""


def listed_models(params: Params) -> ListedModels:
    """Return the models under the keys of params.yaml for analyses of chosen models."""
    return {key: getattr(params, key) for key in OF_SOME}


def results_of(folder: Path, models: Collection[str], listed: ListedModels) -> list[Path]:
    """Return the result files of `models`, and of nouns without a model, relative to `folder`.

    A result is <noun>/.../<model>.csv or .json; runs and pairs of models are among `models`.
    Results measured only for models in `listed` are left out for all other models.
    """
    named = {*models, TOY}
    wanted = {noun: set(listed.get(key, ())) for key, nouns in OF_SOME.items() for noun in nouns}
    files = (file.relative_to(folder) for file in folder.rglob("*") if file.suffix in SUFFIXES)
    return sorted(
        file
        for file in files
        if len(file.parts) > 1 and file.stem in wanted.get(file.parts[0], named)
    )


def check_results(folder: Path) -> None:
    """Stop if there is no folder of results.

    Raises:
        InputError: if the folder is missing.
    """
    if not folder.is_dir():
        raise InputError(
            f"{folder}: not found in {Path.cwd()}; `dvc repro` (or `make`) makes the results"
        )


def update_baselines(
    results: Path, models: Collection[str], listed: ListedModels
) -> tuple[int, int]:
    """Make the results of `models` baselines; return the numbers of written and removed files.

    Baselines of other models stay, also in tables about several models.
    """
    new = results_of(results, models, listed)
    gone = [file for file in results_of(BASELINES, models, listed) if file not in new]
    for file in new:
        others = _rows_of_others(BASELINES / file, results / file, models)
        with writing(BASELINES / file) as partial:
            shutil.copyfile(results / file, partial)
            with partial.open("a", encoding="utf-8", newline="") as stream:
                stream.writelines(others)
    for file in gone:
        (BASELINES / file).unlink()
        _remove_empty_folders((BASELINES / file).parent)
    return len(new), len(gone)


def _rows_of_others(baseline: Path, result: Path, models: Collection[str]) -> list[str]:
    """Return the lines of a baseline about several models that are not about one of `models`.

    Empty if the columns have changed: the old lines fit no table any more.
    """
    if baseline.parent.name not in SEVERAL or not baseline.is_file():
        return []
    header, *lines = baseline.read_text(encoding="utf-8").splitlines(keepends=True)
    with result.open(encoding="utf-8") as stream:
        if stream.readline() != header:
            return []
    return [line for line in lines if line.split(",")[0] not in models]


def _remove_empty_folders(folder: Path) -> None:
    while folder != BASELINES and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent
