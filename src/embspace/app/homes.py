"""Folders of users, written as ~ and ~name."""

from pathlib import Path

from embspace.errors import InputError


def expanded(path: str | Path) -> Path:
    """Return a path with the folder of a user in the place of ~ or ~name.

    Raises:
        InputError: if the user does not exist.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise InputError(f"{path}: found '{Path(path).parts[0]}', which is no user here") from None
