"""The files by which sentence-transformers describes what follows a transformer."""

import json
import os
import re
from pathlib import Path
from typing import Any

from embspace.errors import RefusedModel, reason_of, shortened

MODULES = "modules.json"
PROMPTS = "config_sentence_transformers.json"
# Of the transformer: how it reads texts. Older releases name the architecture in it.
READING = re.compile(r"sentence_\w+_config\.json")
CONFIG, WEIGHTS = "config.json", "model.safetensors"
LIBRARY = "sentence_transformers."  # whose modules these are
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
        RefusedModel: if it is not there, or no JSON.
    """
    try:
        return json.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise RefusedModel(f"{file}: cannot be read: {reason_of(error)}") from error


def read_keys(file: Path) -> dict[str, Any]:
    """The keys and values of a JSON file.

    Raises:
        RefusedModel: if it is not there, or has no keys.
    """
    content = read_json(file)
    if not isinstance(content, dict):
        raise RefusedModel(f"{file}: expected keys and values, found {shortened(content)}")
    return content


def is_switched(file: Path, config: dict[str, Any], key: str, *, default: bool) -> bool:
    """Whether a key is true; `default` where it is null or not there.

    Raises:
        RefusedModel: if it is neither true nor false.
    """
    value = config.get(key)
    if value is not None and not isinstance(value, bool):
        raise RefusedModel(f"{file}: key '{key}': found {shortened(value)}, allowed: true or false")
    return default if value is None else value


def listed_modules(folder: Path) -> list[tuple[str, Path]]:
    """The kind and folder of each module of modules.json, in order; none without the file.

    The order is that of the file, as sentence-transformers has it: it reads no `idx`.

    Raises:
        RefusedModel: if the file is no list of modules, or names a folder outside, or a module
            that is code of the repository.
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
    """The folder of config.json: that of the first module, a transformer; else `folder`.

    Another model may lie in `folder` itself, as do the settings of old sentence-transformers.

    Raises:
        RefusedModel: if modules.json cannot be read.
    """
    modules = listed_modules(folder)
    return modules[0][1] if modules and modules[0][0] == "Transformer" else folder
