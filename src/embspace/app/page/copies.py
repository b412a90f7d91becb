"""Copies of the files that a page links to."""

import shutil
from pathlib import Path

from embspace.files.atomic import writing


def copy_whole(source: Path, target: Path) -> None:
    """Copy a file, whole or not at all; a full disk leaves what was there.

    Raises:
        InputError: if the copy cannot be written, naming it.
    """
    with writing(target) as partial:
        shutil.copyfile(source, partial)
