"""Reads the JSON files of a model's folder: of config, tokenizer, modules and indices."""

import json
from pathlib import Path
from typing import Any

from embspace.errors import RefusedModel, reason_of, shortened

POINTER = "version https://git-lfs"  # begins what git leaves of a large file
MOST_BYTES = 1024  # of a pointer, by the specification of git's LFS


def read_json(file: Path) -> Any:
    """Return the content of a JSON file, without a byte order mark.

    Raises:
        RefusedModel: if the file is missing, is not JSON, or is git's pointer to a large file.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
        if text.startswith(POINTER):
            raise pointer_error(file)
        return json.loads(text)
    except OSError as error:
        raise RefusedModel(f"{file}: cannot be read: {reason_of(error)}") from error
    except (ValueError, RecursionError) as error:
        raise RefusedModel(f"{file}: is no JSON: {reason_of(error)}") from error


def read_keys(file: Path) -> dict[str, Any]:
    """Return the keys and values of a JSON file.

    Raises:
        RefusedModel: as `read_json` does, or if the file has no keys.
    """
    content = read_json(file)
    if not isinstance(content, dict):
        raise RefusedModel(f"{file}: expected keys and values, found {shortened(content)}")
    return content


def check_pointers(folder: Path) -> None:
    """Stop at a file of which only git's pointer is there, as in a clone without LFS.

    Raises:
        RefusedModel: naming the file.
    """
    for file in sorted(folder.iterdir()):
        if file.is_file() and file.stat().st_size < MOST_BYTES:
            with file.open("rb") as stream:
                if stream.read(len(POINTER)) == POINTER.encode():
                    raise pointer_error(file)


def pointer_error(file: Path) -> RefusedModel:
    """The error for a git pointer instead of the file's content."""
    return RefusedModel(f"{file}: is git's pointer to a large file; get it with\n  git lfs pull")
