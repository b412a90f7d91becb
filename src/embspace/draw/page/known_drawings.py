"""Keeps drawings, so that a changed setting draws only its own noun anew."""

import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pydantic import BaseModel

import embspace
from embspace.files.atomic import write_bytes, writing

DRAWINGS = Path(".cache/drawings")
KINDS = ("*.py", "*.mplstyle", "*.ttf", "*.csv", "tables.yaml")
KEPT = 3  # drawings of one noun and name, the newest of them
PACKAGES = ("fonttools", "matplotlib", "numpy", "pandas", "pillow", "scipy", "seaborn", "tabulate")


def drawing_key(sources: Iterable[Path], *given: Any) -> str:
    """Return a hash of what a drawing depends on: code, packages, results and arguments.

    Args:
        sources: The files of the results.
        given: Names, label and settings, as JSON or a schema.
    """
    said = json.dumps(given, sort_keys=True, default=BaseModel.model_dump)
    digest = hashlib.sha256(f"{_code()}{said}".encode())
    for source in sources:
        content = source.read_bytes() if source.is_file() else b""  # to load it says what lacks
        digest.update(f"{source}\0{hashlib.sha256(content).hexdigest()}".encode())
    return digest.hexdigest()


@cache
def _code() -> str:
    """Return a hash of the whole source and of the packages that draw.

    The listing of a stage in data/prepared/code would be narrower; but it is older than the source
    when someone runs the stage by hand.
    """
    root = Path(embspace.__file__).parent
    files = (file for kind in KINDS for file in root.rglob(kind))
    digest = hashlib.sha256(repr([(package, version(package)) for package in PACKAGES]).encode())
    for file in sorted(files):
        digest.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def restore_drawing(key: str, noun: str, name: str) -> bool:
    """Write the files of the drawing that is known under `key`; return False if none is."""
    known = DRAWINGS / noun / name / f"{key}.zip"
    if not known.is_file():
        return False
    with zipfile.ZipFile(known) as drawing:
        for path in drawing.namelist():
            write_bytes(Path(path), drawing.read(path))
    known.touch()
    return True


def keep_drawing(key: str, noun: str, name: str, files: Mapping[Path, bytes]) -> None:
    """Keep the files of a drawing under `key`, and forget the oldest of the noun and name."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as drawing:
        for path, content in files.items():
            drawing.writestr(path.as_posix(), content)
    folder = DRAWINGS / noun / name
    with writing(folder / f"{key}.zip") as partial:
        partial.write_bytes(stream.getvalue())
    newest_first = sorted(folder.glob("*.zip"), key=lambda file: file.stat().st_mtime, reverse=True)
    for file in newest_first[KEPT:]:
        file.unlink(missing_ok=True)
