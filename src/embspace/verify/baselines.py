"""Which results have a baseline, and how one is made: tests/baselines/ mirrors results/."""

import shutil
from collections.abc import Collection
from pathlib import Path

from embspace.errors import InputError
from embspace.files.atomic import writing
from embspace.prune import TOY
from embspace.verify.contents import SUFFIXES

BASELINES = Path("tests/baselines")
COMPARED = "compare"  # the folder of tables that are of all models
# Folders of tables about several models -> how many columns, the first ones, name them.
SEVERAL = {COMPARED: 2, "encoders_decoders": 1}
# Folders of what dvc.yaml measures of the models under `profiled` in params.yaml alone.
OF_PROFILED = (
    "atlas",
    "context",
    "direction",
    "encoders_decoders",
    "intrinsic_dimension",
    "neighbourhoods",
    "spectrum",
)


def results_of(folder: Path, models: Collection[str], profiled: Collection[str]) -> list[Path]:
    """The result files of `models`, and of what has no model, under `folder`, relative to it.

    A result is <noun>/.../<model>.csv or .json; <a>--<b> is a pair of models. A table in compare/
    is of all models, with a row a pair. Profiles of the layers of a model that is not among
    `profiled` are left out: nobody has asked for them.
    """
    named = {*models, TOY}
    files = (file.relative_to(folder) for file in folder.rglob("*") if file.suffix in SUFFIXES)
    return sorted(
        file
        for file in files
        if len(file.parts) > 1
        and models_of(file) <= (set(profiled) if file.parts[0] in OF_PROFILED else named)
    )


def models_of(file: Path) -> set[str]:
    """The model, or the two models, that a result is about; none for a table of all."""
    return set() if file.parts[0] == COMPARED else set(file.stem.split("--"))


def check_results(folder: Path) -> None:
    """Raise InputError if there is no folder of results."""
    if not folder.is_dir():
        raise InputError(
            f"{folder}: not found in {Path.cwd()}; `dvc repro` (or `make`) makes the results"
        )


def update_baselines(
    results: Path, models: Collection[str], profiled: Collection[str]
) -> tuple[int, int]:
    """Make the results of `models` their baselines; how many were written and removed.

    Baselines of other models stay, also in tables about several of them.
    """
    new = results_of(results, models, profiled)
    gone = [file for file in results_of(BASELINES, models, profiled) if file not in new]
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
    """The lines of a baseline about several models of which one is not among `models`.

    None where the columns have changed: such lines belong to no table any more.
    """
    n_names = SEVERAL.get(baseline.parent.name)
    if n_names is None or not baseline.is_file():
        return []
    header, *lines = baseline.read_text(encoding="utf-8").splitlines(keepends=True)
    with result.open(encoding="utf-8") as stream:
        if stream.readline() != header:
            return []
    return [line for line in lines if not set(line.split(",")[:n_names]) <= set(models)]


def _remove_empty_folders(folder: Path) -> None:
    while folder != BASELINES and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent
