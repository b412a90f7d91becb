"""The files in which sentence-transformers describes the modules after a transformer."""

import os
import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from embspace.errors import RefusedModel, shortened
from embspace.files.json_keys import read_json

MODULES = "modules.json"
PROMPTS = "config_sentence_transformers.json"
# Of the transformer: how it reads texts. Older releases name the architecture in it.
READING = re.compile(r"sentence_\w+_config\.json")
CONFIG, WEIGHTS = "config.json", "model.safetensors"
PARTS = (CONFIG, WEIGHTS)  # of a module's folder, such as 1_Pooling
LIBRARY = "sentence_transformers."  # whose modules these are


def module_files(names: Iterable[str], folders: Collection[str]) -> list[str]:
    """The files of a repository that make a sentence model, with modules in `folders`.

    Names and folders are paths from the repository's root; the root folder is "".
    """

    def is_one(name: str) -> bool:
        folder, _, file = name.rpartition("/")
        is_described = not folder and file in (MODULES, PROMPTS)
        is_reading = folder in {"", *folders} and READING.fullmatch(file)
        return bool(is_described or is_reading or (folder in folders and file in PARTS))

    return sorted(filter(is_one, names))


def sentence_files(folder: Path) -> list[Path]:
    """The files of a sentence model in a folder, in order; none of another model.

    Raises:
        RefusedModel: if modules.json cannot be read.
    """
    places = module_folders(folder)
    if not places:
        return []
    names = [
        f"{place}/{entry.name}" if place else entry.name
        for place in {"", *places}
        if (folder / place).is_dir()
        for entry in os.scandir(folder / place)
        if entry.is_file()
    ]
    return [folder / name for name in module_files(names, places)]


def module_folders(folder: Path) -> list[str]:
    """The folder of each module, "" for the root, in the order of modules.json.

    Raises:
        RefusedModel: if modules.json cannot be read.
    """
    places = (place.relative_to(folder).as_posix() for _, place in listed_modules(folder))
    return ["" if place == "." else place for place in places]


def is_switched(file: Path, config: dict[str, Any], key: str, *, default: bool) -> bool:
    """Return whether a key is true; `default` where it is null or missing.

    Raises:
        RefusedModel: if it is neither true nor false.
    """
    value = config.get(key)
    if value is not None and not isinstance(value, bool):
        raise RefusedModel(f"{file}: key '{key}': found {shortened(value)}, allowed: true or false")
    return default if value is None else value


def listed_modules(folder: Path) -> list[tuple[str, Path]]:
    """The kinds and folders of the modules of modules.json, in order; none without the file.

    The order is the file's, as in sentence-transformers, which ignores `idx`.

    Raises:
        RefusedModel: if the file is no list of modules, or names a folder outside, or a module with
            code of the repository.
    """
    file = folder / MODULES
    if not file.is_file():
        return []
    content = read_json(file)
    if not isinstance(content, list) or not content or not all(map(_is_module, content)):
        raise RefusedModel(f"{file}: is no list of modules, each with a 'type' and a 'path'")
    return [(_kind(file, entry["type"]), _place(file, entry["path"])) for entry in content]


def _is_module(entry: Any) -> bool:
    return isinstance(entry, dict) and all(isinstance(entry.get(k), str) for k in ("type", "path"))


def _kind(file: Path, name: str) -> str:
    if not name.startswith(LIBRARY):
        raise RefusedModel(
            f"{file}: the module {shortened(name)} is none of sentence-transformers; code of a "
            "repository is not run"
        )
    return name.rpartition(".")[2]


def _place(file: Path, path: str) -> Path:
    inside = Path(os.path.normpath(path))
    if inside.is_absolute() or os.pardir in inside.parts or "\0" in path:
        raise RefusedModel(f"{file}: the path {shortened(path)} leads out of the folder")
    return file.parent / inside


def transformer_folder(folder: Path) -> Path:
    """Return the folder of config.json: that of the first module, a transformer; else `folder`.

    Another model may lie in `folder` itself, as do the settings of old sentence-transformers.

    Raises:
        RefusedModel: if modules.json cannot be read.
    """
    modules = listed_modules(folder)
    return modules[0][1] if modules and modules[0][0] == "Transformer" else folder
