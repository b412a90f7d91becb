"""Settings that many calls of a process read: a file is read anew if it has changed."""

from functools import lru_cache
from pathlib import Path
from typing import Any

from embspace.settings.schema import read_yaml


def settings_in(path: Path) -> dict[str, Any]:
    """Return the mapping in a YAML file; callers must not change it.

    Raises:
        InputError: as `read_yaml` does.
    """
    if not path.is_file():
        return read_yaml(path)
    now = path.stat()
    return _read(path, now.st_ino, now.st_size, now.st_mtime_ns)


@lru_cache(maxsize=64)
def _read(path: Path, *_told_apart: int) -> dict[str, Any]:
    return read_yaml(path)
