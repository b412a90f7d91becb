"""Finds the root of the tree that a command or a call from Python belongs to."""

from pathlib import Path

from embspace.errors import InputError
from embspace.settings.params import CONF, PARAMS

GRAPH = "dvc.yaml"


def find_root() -> Path:
    """Return the tree that the current folder lies in, or else that embspace is installed from.

    Raises:
        InputError: if there is neither.
    """
    root = enclosing_root(Path.cwd()) or enclosing_root(Path(__file__).resolve())
    if root is None:
        raise InputError(
            f"{Path.cwd()}: is not in an embspace tree, with conf/, dvc.yaml and params.yaml; "
            "change to a clone of its repository"
        )
    return root


def enclosing_root(place: Path) -> Path | None:
    """Return the nearest folder, from this one upwards, that is the root of a tree."""
    for folder in (place, *place.parents):
        if all((folder / each).exists() for each in (GRAPH, PARAMS, CONF / "model")):
            return folder
    return None
