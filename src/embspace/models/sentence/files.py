"""The files by which sentence-transformers describes what follows a transformer."""

import json
import re
from pathlib import Path
from typing import Any

from embspace.errors import InputError, reason_of

MODULES = "modules.json"
PROMPTS = "config_sentence_transformers.json"
# Of the transformer: how it reads texts. Older releases name the architecture in it.
READING = re.compile(r"sentence_\w+_config\.json")
CONFIG, WEIGHTS = "config.json", "model.safetensors"
# A module's folder: 1_Pooling, 2_Dense.
OF_MODULE = re.compile(rf"\d+_\w+/({re.escape(CONFIG)}|{re.escape(WEIGHTS)}|{READING.pattern})")


def is_sentence_file(name: str) -> bool:
    """Whether a file, by its path in a model's folder, is one of a sentence model's."""
    is_at_root = name in (MODULES, PROMPTS) or READING.fullmatch(name)
    return bool(is_at_root or OF_MODULE.fullmatch(name))


def sentence_files(folder: Path) -> list[Path]:
    """The files of a sentence model in a folder, in order; none of another model."""
    if not (folder / MODULES).is_file():
        return []
    paths = [*folder.glob("*.json"), *folder.glob("*_*/*.json"), *folder.glob("*_*/*.safetensors")]
    return sorted(path for path in paths if is_sentence_file(path.relative_to(folder).as_posix()))


def read_json(file: Path) -> Any:
    """The content of a JSON file.

    Raises:
        InputError: if it is not there, or no JSON.
    """
    try:
        return json.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{file}: cannot be read: {reason_of(error)}") from error


def listed_modules(folder: Path) -> list[tuple[str, Path]]:
    """The kind and folder of each module of modules.json, in order; none without the file.

    Raises:
        InputError: if the file is no list of modules, or names a folder outside.
    """
    file = folder / MODULES
    if not file.is_file():
        return []
    content = read_json(file)
    if not isinstance(content, list) or not all(
        isinstance(entry, dict) and isinstance(entry.get("type"), str) for entry in content
    ):
        raise InputError(f"{file}: is no list of modules, each with a 'type' and a 'path'")
    modules = []
    for entry in sorted(content, key=lambda entry: entry.get("idx", 0)):
        place = folder / str(entry.get("path", ""))
        if not place.resolve().is_relative_to(folder.resolve()) and ".." in place.parts:
            raise InputError(f"{file}: the path {entry['path']!r} leads out of the folder")
        modules.append((entry["type"].rpartition(".")[2], place))
    return modules


def transformer_folder(folder: Path) -> Path:
    """The folder of config.json: the first module's (`0_Transformer`) where it is not the model's.

    Raises:
        InputError: if modules.json cannot be read.
    """
    if (folder / CONFIG).is_file():
        return folder
    modules = listed_modules(folder)
    is_there = modules and modules[0][0] == "Transformer" and (modules[0][1] / CONFIG).is_file()
    return modules[0][1] if is_there else folder
