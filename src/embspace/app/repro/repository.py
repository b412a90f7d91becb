"""Opens a tree as a repository of DVC, even outside of a repository of git."""

import os
import tempfile
from pathlib import Path
from typing import Any

from embspace.errors import InputError

KEPT_IN = "DVC_SITE_CACHE_DIR"
"""The variable that tells DVC where to keep its state."""


def open_repository(folder: Path) -> Any:
    """DVC's repository of a tree; without git for an unpacked, not cloned tree.

    Raises:
        InputError: if the path has a brace, for DVC a place to fill in.
    """
    from dvc.repo import Repo
    from dvc.scm import SCMError

    if {"{", "}"} & {*str(folder.resolve())}:
        raise InputError(
            f"{folder.resolve()}: DVC cannot work in a folder with {{ or }} in its path; move the "
            "tree to another one"
        )
    _let_state_be_kept()
    try:
        return Repo(str(folder))
    except SCMError:
        return Repo(str(folder), config={"core": {"no_scm": True}})


def _let_state_be_kept() -> None:
    """Name a folder for temporary files to DVC, if the common folder cannot be written.

    Below /var/tmp/dvc DVC keeps the list of seen files, and fails without access.
    """
    from dvc.dirs import site_cache_dir

    place = Path(site_cache_dir())
    there = next(folder for folder in (place / "repo", place, *place.parents) if folder.is_dir())
    if not os.access(there, os.W_OK):
        os.environ[KEPT_IN] = str(Path(tempfile.gettempdir()) / f"embspace-dvc-{os.getuid()}")


def without_git(cache: Path, cache_types: list[str], folder: Path) -> str:
    """Return DVC's settings for a tree in `folder` outside of git, with another tree's cache.

    The cache is named from the folder's `.dvc`, for DVC interprets `%(` in a path.
    """
    place = os.path.relpath(cache, folder / ".dvc")
    return (
        "[core]\n    analytics = false\n    check_update = false\n    no_scm = true\n"
        f'[cache]\n    dir = "{place}"\n    type = "{",".join(cache_types)}"\n'
    )
