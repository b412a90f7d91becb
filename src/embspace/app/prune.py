"""Finds what is left of models and corpora that params.yaml no longer names.

What a run of conf/train/ has made stays as long as its file does: it took minutes to train.
"""

from collections.abc import Iterator
from pathlib import Path

from embspace.settings.params import CONF, TOY, Params

# Longest first: a model's name may hold dots.
STATES_FILES = (".tokens.parquet", ".windows.parquet", ".safetensors")
TABLES = (*(f".halves{end}" for end in STATES_FILES), *STATES_FILES, ".parquet", ".csv", ".json")
ENDINGS = (*TABLES, ".png", ".svg", ".pdf", ".md", ".tex")
STATES = Path("data/extracted/hidden_states")
STIMULI = Path("data/extracted/stimuli")
TEXTS = Path("data/prepared/texts")
TRAINED = Path("data/trained")
DRAWN = Path("data/drawn")
BUILT = tuple(
    Path(folder)
    for folder in (
        "data/prepared/checkpoints",
        "data/prepared/model",
        "data/prepared/texts",
        "data/prepared/training_texts",
        "data/trained",
        "data/extracted",
        "data/measured",
        "data/projected",
        "data/drawn",
        "results",
        "figures",
    )
)
SHARED = {Path("results/provenance.json")}
# A file a noun, of all models.
COMPARED = tuple(map(Path, ("results/compare", "figures/compare", "data/drawn/compare")))


def leftovers(params: Params) -> list[Path]:
    """Built data, results and figures of other models and corpora, in order."""
    return [
        file
        for folder in BUILT
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file not in SHARED and _is_left_over(file, params)
    ]


def remove(files: list[Path]) -> None:
    """Delete the files, and the folders that this leaves empty."""
    for file in files:
        file.unlink()
        for folder in _empty_folders(file):
            folder.rmdir()


def _is_left_over(file: Path, params: Params) -> bool:
    if file.is_relative_to(TRAINED):
        return file.relative_to(TRAINED).parts[0] not in _runs()
    name = name_of(file)
    if name is None:
        return False  # not one of ours
    if any(file.is_relative_to(folder) for folder in COMPARED):
        return False  # a stage writes them anew without the model that is gone
    if file.is_relative_to(STATES):
        return file.parent.name not in params.models or name not in params.corpora
    if file.is_relative_to(STIMULI):
        return file.parent.name not in params.models
    if file.is_relative_to(TEXTS):
        return name not in params.corpora
    return name not in (*params.models, TOY, *_runs())


def name_of(file: Path) -> str | None:
    """Whose file it is, a model's, run's or corpus's; None if nothing here is called so.

    `file` is relative to the project. Of what is drawn, the folder has the name.
    """
    name = next((file.name.removesuffix(end) for end in ENDINGS if file.name.endswith(end)), None)
    return file.parent.name if name and file.is_relative_to(DRAWN) else name


def _runs() -> list[str]:
    return [file.stem for file in (CONF / "train").glob("*.yaml")]


def _empty_folders(file: Path) -> Iterator[Path]:
    for folder in file.parents:
        if folder in BUILT or any(folder.iterdir()):
            return
        yield folder
