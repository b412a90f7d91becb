"""Finds the root of the study that a command or a call from Python belongs to."""

import os
from pathlib import Path

from embspace.settings.study import IN_WHEEL, STUDY, home_study, is_study, renew_package

STARTED_IN = Path.cwd()  # before a command goes to the root of a study
CACHE = "EMBSPACE_CACHE"  # names a folder for what is kept between calls


def find_root() -> Path:
    """Return the study that the current folder lies in, or else the repository of this embspace.

    Where it was installed from a wheel: a study in the user's cache, which is made of the wheel.

    Raises:
        InputError: if there is none, and none can be made.
    """
    root = enclosing_root(Path.cwd())
    if root is None and not IN_WHEEL.is_dir():
        root = enclosing_root(Path(__file__).resolve())
    if root is None:
        return home_study(cache_folder())
    renew_package(root)
    return root


def enclosing_root(place: Path) -> Path | None:
    """Return the nearest folder, from this one upwards, that is the root of a study."""
    return next((folder for folder in (place, *place.parents) if is_study(folder)), None)


def is_home(root: Path) -> bool:
    """Return whether a study is the one in the user's cache."""
    return root.resolve() == (cache_folder() / STUDY).resolve()


def cache_folder() -> Path:
    """Return the folder of the user's cache: what `EMBSPACE_CACHE` says, or the system's."""
    import platformdirs

    named = os.environ.get(CACHE)
    return STARTED_IN / named if named else Path(platformdirs.user_cache_dir("embspace"))
