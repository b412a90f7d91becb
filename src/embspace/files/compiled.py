"""Folders that must be writable: for temporary files, and for the code that numba compiles."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from embspace.errors import InputError

KEPT_IN = "NUMBA_CACHE_DIR"
"""The environment variable that tells numba where to keep compiled code."""


def let_compiled_code_be_kept() -> None:
    """Name a folder for temporary files to numba, if nothing can be written below the user's own.

    Beside modules that cannot be written to, numba keeps compiled code below the user's folder,
    and fails where neither can be written, as in a container without a home.
    """
    if KEPT_IN not in os.environ and not _can_be_written(_home()):
        user = os.getuid() if hasattr(os, "getuid") else os.getpid()
        with suppress(FileNotFoundError):  # told by `check_temporary_folder`
            os.environ[KEPT_IN] = str(Path(tempfile.gettempdir()) / f"embspace-compiled-{user}")


def check_temporary_folder() -> None:
    """Stop if no temporary file can be written, which nearly every command needs.

    Raises:
        InputError: naming the variable that can name another folder.
    """
    try:
        tempfile.gettempdir()
    except FileNotFoundError as error:
        raise InputError(f"{error.strerror}; name a folder that you may write by TMPDIR") from None


def _home() -> Path | None:
    try:
        return Path.home()
    except RuntimeError:  # neither HOME nor an entry of this user
        return None


def _can_be_written(folder: Path | None) -> bool:
    return folder is not None and folder.is_dir() and os.access(folder, os.W_OK)
