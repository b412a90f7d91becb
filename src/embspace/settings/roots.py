"""Finds the root of the study that a command or a call from Python belongs to."""

import os
from pathlib import Path

from embspace.settings.study import IN_WHEEL, STUDY, home_study, is_study, renew_package

STARTED_IN = Path.cwd()  # before a command goes to the root of a study
CACHE = "EMBSPACE_CACHE"  # names a folder for what is kept between calls


def find_root() -> Path:
    """Return the study around the current folder, or else the repository of this embspace.

    If embspace was installed from a wheel: a study in the user's cache, which is made from the
    wheel.

    Raises:
        InputError: if no study exists, and none can be made.
    """
    root = enclosing_root(Path.cwd())
    if root is None and not IN_WHEEL.is_dir():
        root = enclosing_root(Path(__file__).resolve())
    if root is None:
        return home_study(cache_folder())
    renew_package(root)
    return root


def enclosing_root(place: Path) -> Path | None:
    """Return the nearest folder, from `place` upwards, that is the root of a study."""
    return next((folder for folder in (place, *place.parents) if is_study(folder)), None)


def is_home(root: Path) -> bool:
    """Return whether a study lies in the user's cache."""
    return root.resolve() == (cache_folder() / STUDY).resolve()


def cache_folder() -> Path:
    """Return the folder of the user's cache: from `EMBSPACE_CACHE`, or else the system's."""
    import platformdirs

    named = os.environ.get(CACHE)
    return STARTED_IN / named if named else Path(platformdirs.user_cache_dir("embspace"))
