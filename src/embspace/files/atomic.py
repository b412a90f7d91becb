"""Whole or not at all: a file appears under its name only when it is complete."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from embspace.errors import InputError

# Which files were made in this tree, and not brought by git. Never committed.
COMPUTED = Path(".cache/computed")


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """Give a name to write to, and move it to `path` when the block ends without an error.

    Raises:
        InputError: if the folder or the file cannot be written, naming the file and the reason.
    """
    partial = path.with_name(f".{path.name}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield partial
        # DVC may have linked the old file to its cache; replacing leaves the cache alone.
        partial.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        _remove(partial)


def write_bytes(path: Path, content: bytes) -> None:
    """Write `content` to `path`, and remember that this tree computed it."""
    with writing(path) as partial:
        partial.write_bytes(content)
    mark = COMPUTED / f"{path}.sha256"
    with writing(mark) as partial:
        partial.write_text(hashlib.sha256(content).hexdigest(), encoding="ascii")


def computed_here(path: Path) -> bool:
    """Whether `path` holds just what `write_bytes` last wrote to it in this tree."""
    mark = COMPUTED / f"{path}.sha256"
    if not (mark.is_file() and path.is_file()):
        return False
    return mark.read_text(encoding="ascii") == hashlib.sha256(path.read_bytes()).hexdigest()


def _remove(partial: Path) -> None:
    try:
        partial.unlink(missing_ok=True)
    except OSError:
        return  # a read-only folder: the first error has said so
