"""models.lock: which commit and which files `embspace fetch` took from the hub, by model."""

from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, ConfigDict, Field

from embspace.errors import InputError
from embspace.files.atomic import writing
from embspace.settings.model import HubFiles, model_file
from embspace.settings.schema import read_yaml, validate

LOCK = "models.lock"
GUARD = Path(".cache/models.lock.guard")  # whoever holds it may write models.lock
HEADER = "# What `embspace fetch` took from the model hub: by model, the commit and the files.\n"

# A name is a part of a path, and must not lead out of its folder.
FileName = Annotated[str, Field(pattern=r"^[\w-][\w.-]*$")]


class LockedFile(BaseModel):
    """A file as it was fetched."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    size: int = Field(ge=0)


class LockedModel(BaseModel):
    """What was fetched for one model or checkpoint, or for the tokenizer of random weights."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    repository: str
    revision: str  # as conf/model/<name>.yaml asked for it
    commit: str = Field(pattern=r"^[0-9a-f]{40}$")
    files: dict[FileName, LockedFile] = Field(min_length=1)

    def answers(self, files: HubFiles) -> bool:
        """Whether it is what `files` asks for."""
        return (self.repository, self.revision) == (files.repository, files.revision)


def read_lock(path: str = LOCK) -> dict[str, LockedModel]:
    """What models.lock holds, by the names of conf/model/; nothing where there is no such file.

    A checkpoint of a model's training has the name <model>@step<step>.

    Raises:
        InputError: naming the model, the key, what was found and what is allowed.
    """
    if not Path(path).is_file():
        return {}
    entries = read_yaml(Path(path)).items()
    return {name: validate(LockedModel, entry, f"{path}, '{name}'") for name, entry in entries}


def add_to_lock(name: str, entry: LockedModel, path: str = LOCK) -> None:
    """Write one entry of models.lock; those that other fetches write at once stay.

    Raises:
        InputError: if it cannot be written.
    """
    from filelock import FileLock

    try:
        GUARD.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(GUARD):
            write_lock(read_lock(path) | {name: entry}, path)
    except OSError as error:
        raise InputError(f"{GUARD}: cannot be written: {error.strerror or error}") from error


def write_lock(entries: dict[str, LockedModel], path: str = LOCK) -> None:
    """Write models.lock, sorted, whole or not at all."""
    content = {name: entry.model_dump() for name, entry in entries.items()}
    with writing(Path(path)) as partial:
        partial.write_text(HEADER + yaml.safe_dump(content, sort_keys=True), encoding="utf-8")


def locked_model(name: str, files: HubFiles, lock: dict[str, LockedModel]) -> LockedModel:
    """What `lock` says was fetched for the model `name`.

    Raises:
        InputError: if nothing was, or of another repository or revision, or other files than the
            model's own file pins.
    """
    entry = lock.get(name)
    if entry is None:
        raise not_fetched(name, f"{LOCK} does not have it")
    if not entry.answers(files):
        found = f"{entry.repository} at {entry.revision}"
        asked = f"{files.repository} at {files.revision}"
        raise not_fetched(name, f"{LOCK} has {found}, its file asks for {asked}")
    check_pins(name, files, entry)
    return entry


def check_pins(name: str, files: HubFiles, entry: LockedModel) -> None:
    """Stop unless what was fetched is what the file of the model pins besides.

    Raises:
        InputError: naming the file of which there is another or none.
    """
    for file, expected in files.sha256.items():
        found = entry.files[file].sha256 if file in entry.files else "no such file"
        if found != expected:
            raise InputError(
                f"{model_file(name)}: key 'sha256.{file}': {entry.repository} at "
                f"{entry.commit} has another\n  found    {found}\n  expected {expected}"
            )


def not_fetched(name: str, reason: str) -> InputError:
    """What tells a user to fetch a model first."""
    return InputError(f"{name}: not fetched, {reason}; get it with\n  {fetch_command(name)}")


def fetch_command(name: str) -> str:
    """What fetches a model, or all chosen checkpoints of the model of one."""
    model, _, step = name.partition("@")
    return f"embspace fetch {model}{' --checkpoints' if step else ''}"
