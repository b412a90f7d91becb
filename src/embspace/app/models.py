"""Lists the models of conf/model/."""

from collections.abc import Iterator
from pathlib import Path

from embspace.models.locate import wheel_folder
from embspace.models.lock import Locked, LockedModel, LockedWheel, read_lock
from embspace.settings.model import (
    FolderModel,
    HubModel,
    Model,
    PackageModel,
    RandomModel,
    WheelModel,
    describe_model,
    repository_of,
)
from embspace.settings.params import CONF, read_params
from embspace.settings.schema import is_empty, read_yaml

COLUMNS = ("name", "repository", "weights")


def list_models() -> list[str]:
    """Return a line per model: the name, the repository, and whether the weights are here.

    Raises:
        InputError: if a file of conf/model/ does not fit.
    """
    rows = [COLUMNS, *_rows()]
    widths = [max(len(row[column]) for row in rows) for column in range(2)]
    return [f"{row[0]:{widths[0]}}  {row[1]:{widths[1]}}  {row[2]}" for row in rows]


def _rows() -> Iterator[tuple[str, str, str]]:
    locked, named = read_lock(), read_params().models
    for path in sorted((CONF / "model").glob("*.yaml")):
        name = path.stem
        if is_empty(path):
            yield name, "", "an empty file"
            continue
        model = describe_model(name, read_yaml(path))
        listed = ", in params.yaml" if name in named else ""
        yield name, repository_of(model) or "", f"{_state(name, model, locked)}{listed}"


def _state(name: str, model: Model, locked: dict[str, Locked]) -> str:
    """Return where the weights of a model are, and whether they exist."""
    if isinstance(model, HubModel):
        entry = locked.get(name)
        return _fetched(name, isinstance(entry, LockedModel) and entry.answers(model))
    if isinstance(model, WheelModel):
        entry = locked.get(name)
        is_made = wheel_folder(model).is_dir()  # models.lock comes with git, the folder does not
        return _fetched(name, is_made and isinstance(entry, LockedWheel) and entry.answers(model))
    if isinstance(model, PackageModel):
        return f"package {model.package}"
    if isinstance(model, RandomModel):
        return "random"
    what = "folder" if isinstance(model, FolderModel) else "vectors"
    there = "" if Path(model.path).expanduser().exists() else ", not there"
    return f"{what} {model.path}{there}"


def _fetched(name: str, is_fetched: bool) -> str:
    return "fetched" if is_fetched else f"not fetched: embspace fetch {name}"
