"""Finds files left by models, pairs and corpora no longer named in params.yaml.

The output of a run of conf/train/ stays as long as the run's file does: training took minutes.
"""

import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from embspace.loaded.kept import unused_references
from embspace.settings.params import CONF, TOY, Params
from embspace.settings.pipeline import ITEM, read_stages

# Longest first: a model's name may hold dots.
STATES_FILES = (".tokens.parquet", ".windows.parquet", ".safetensors")
TABLES = (*(f".halves{end}" for end in STATES_FILES), *STATES_FILES, ".parquet", ".csv", ".json")
ENDINGS = (*TABLES, ".png", ".svg", ".pdf", ".md", ".tex")
DRAWN = Path("data/drawn")
TRAINED = Path("data/trained")
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
# Stages depend on these as a whole: to DVC a stray there is a change of all that is read.
READ_WHOLE = tuple(
    Path(folder)
    for folder in (
        "data/extracted/hidden_states",
        "data/extracted/stimuli",
        "data/prepared/texts",
    )
)
CHECKPOINT = r"/seed_\d+/[^/]+/step_\d{6}/[^/]+"  # in the folder of a run
# What may stand in the place of ${item.<key>} in the path of an output.
ITEMS = {"model": "[^/]+", "corpus": "[^/.]+", "train": "[^/]+", "pair": "[^/]+"}


class Found(NamedTuple):
    """Files of the stages' output folders, in order."""

    left_over: list[Path]
    """Outputs of stages for models, pairs, corpora or runs not named any more; old cached answers.
    """
    others: list[Path]
    """No outputs of any stage."""


def find_leftovers(params: Params) -> Found:
    """Return the files built of unnamed models and corpora, and the files made by no stage."""
    leftovers = _leftovers(params, BUILT)
    leftovers.left_over.extend(unused_references())
    return leftovers


def _leftovers(params: Params, folders: Iterable[Path]) -> Found:
    outputs = _outputs()
    named = {
        "model": {*params.models, TOY},
        "corpus": {*params.corpora},
        "train": {*_runs()},
        "pair": {*params.compared},
    }
    leftovers = Found([], [])
    for file in _built_files(folders):
        made = [match for output in outputs if (match := output.fullmatch(file.as_posix()))]
        if not made:
            leftovers.others.append(file)
        elif all(_is_dropped(match, named) for match in made):
            leftovers.left_over.append(file)
    return leftovers


def find_strays(params: Params) -> list[Path]:
    """Return the files left by unnamed corpora and models in folders that are read whole.

    DVC's cache keeps these files until `make gc`, and restores the files when needed again.
    """
    return _leftovers(params, READ_WHOLE).left_over


def in_git(files: list[Path]) -> set[Path]:
    """Return the files in git; none outside of a repository.

    Tables for the comparison of models are committed for models added to params.yaml by `make all`.
    """
    inside = {file.parts[0] for file in files if not file.is_absolute()}
    if not inside:
        return set()
    listed = subprocess.run(
        ["git", "ls-files", "-z", *inside],
        capture_output=True,
        check=False,
    )
    names = listed.stdout.decode("utf-8", "surrogateescape").split("\0")
    return {*files} & {Path(name) for name in names}


def remove(files: list[Path]) -> None:
    """Delete the files, and the folders left empty."""
    for file in files:
        file.unlink(missing_ok=True)  # another process may have had the same to do
        for folder in _empty_folders(file):
            folder.rmdir()


def name_of(file: Path) -> str | None:
    """Return the name of a file's model, run or corpus; None for a file without such a name.

    `file` is relative to the project. For a drawing, the folder has the name.
    """
    name = next((file.name.removesuffix(end) for end in ENDINGS if file.name.endswith(end)), None)
    return file.parent.name if name and file.is_relative_to(DRAWN) else name


def _built_files(folders: Iterable[Path]) -> Iterator[Path]:
    for folder in folders:
        for file in sorted(folder.rglob("*")):
            if file.is_file() and file not in SHARED and not file.name.startswith("."):
                yield file


def _outputs() -> list[re.Pattern[str]]:
    """Return the patterns for the paths of all outputs of the graph's stages."""
    paths = sorted({path for stage in read_stages(Path()).values() for path in stage.outputs()})
    figures = [Path(path) for path in paths if path.startswith("figures/")]
    nouns = {re.escape(noun) for path in figures for noun in (path.parent.name, path.stem)}
    inside = {DRAWN: rf"/(?:{'|'.join(sorted(nouns))})\.(?:svg|pdf|tex)", TRAINED: CHECKPOINT}
    endings = {
        path: end
        for path in paths
        for folder, end in inside.items()
        if folder in Path(path).parents
    }
    return [re.compile(_form(path) + endings.get(path, "")) for path in paths]


def _form(path: str) -> str:
    """Return a regular expression of an output's path, with a group for every key of its items."""
    form, known = "", set[str]()
    for number, part in enumerate(ITEM.split(path)):
        if number % 2 == 0:
            form += re.escape(part)
        else:
            form += f"(?P={part})" if part in known else f"(?P<{part}>{ITEMS[part]})"
            known.add(part)
    return form


def _is_dropped(made: re.Match[str], named: dict[str, set[str]]) -> bool:
    return any(name not in named[key] for key, name in made.groupdict().items())


def _runs() -> list[str]:
    return [file.stem for file in (CONF / "train").glob("*.yaml")]


def _empty_folders(file: Path) -> Iterator[Path]:
    for folder in file.parents:
        if folder in BUILT or any(folder.iterdir()):
            return
        yield folder
