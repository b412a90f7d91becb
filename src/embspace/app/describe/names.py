"""Tells which model of conf/model/ a name, folder or repository means, and names a further one."""

import re
from contextlib import chdir
from pathlib import Path
from typing import Any

from embspace.app.describe.description import MODELS, Named
from embspace.app.homes import expanded
from embspace.settings.model import REPOSITORY
from embspace.settings.params import TOY
from embspace.settings.schema import is_empty, read_yaml


def is_described(typed: str, root: Path) -> bool:
    """Return whether a file of conf/model/ describes the model of a name, folder or repository."""
    folder = expanded(typed)
    place = folder.resolve() if typed.strip() and folder.is_dir() else typed
    return has_file(typed, root) or known_model(root, place) is not None


def is_fetched(repository: str, root: Path) -> bool:
    """Return whether a repository `owner/name` is in conf/model/, or was fetched before."""
    if not re.fullmatch(REPOSITORY, repository):
        return False
    with chdir(root):
        is_known = known_model(root, repository) is not None
        return is_known or free_name(repository, root) in locked_names()


def placed(typed: str, root: Path, here: Path) -> str:
    """Return the absolute path of a folder with a model; a name of conf/model/ stays a name."""
    folder = (here / expanded(typed)).resolve()
    is_model = any((folder / name).is_file() for name in ("config.json", "modules.json"))
    return str(folder) if typed.strip() and is_model and not has_file(typed, root) else typed


def has_file(name: str, root: Path) -> bool:
    """Return whether conf/model/ has the file of a model of this name, in this case of letters."""
    folder = root / MODELS
    return folder.is_dir() and any(file.name == f"{name}.yaml" for file in folder.iterdir())


def known_model(root: Path, place: Path | str) -> Named | None:
    """Return the model of conf/model/ whose files are in a folder or repository."""
    for file in sorted((root / MODELS).glob("*.yaml")):
        if is_empty(file):  # as the shell makes it before `embspace describe FOLDER > FILE` runs
            continue
        content = read_yaml(file)
        if content.get("source") == "path" and isinstance(place, Path):
            origin: Any = (root / Path(str(content.get("path"))).expanduser()).resolve()
        else:
            origin = content.get("repository") if content.get("source") == "hub" else None
        if origin == place:
            return Named(file.stem)
    return None


def free_name(place: str, root: Path) -> str:
    """Return a folder's or repository's name as a model's name that conf/model/ does not have."""
    name = re.sub(r"-{2,}", "-", re.sub(r"[^A-Za-z0-9_.-]+", "_", place)).strip("-.") or "model"
    if name == TOY:
        name += "_model"
    while (root / MODELS / f"{name}.yaml").exists():
        name += "_other"
    return name


def locked_names() -> set[str]:
    """Return the names of the models in models.lock of the current folder."""
    from embspace.models.lock import read_lock

    return {*read_lock()}
