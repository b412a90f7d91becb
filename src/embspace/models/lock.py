"""models.lock: what `embspace fetch` took from the hub, or made of a wheel, by model."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field

from embspace.errors import InputError
from embspace.files.atomic import writing
from embspace.settings.model import SHA256, HubFiles, WheelFiles, model_file
from embspace.settings.schema import read_yaml, validate

LOCK = "models.lock"
GUARD = Path(".cache/models.lock.guard")  # whoever holds it may write models.lock
HEADER = "# What `embspace fetch` took: by model, the commit or the wheel, and the files.\n"

# A name is a path inside of the repository, as 1_Pooling/config.json, and must not lead out of it.
FileName = Annotated[str, Field(pattern=r"^[\w-][\w.-]*(/[\w-][\w.-]*)*$")]


class LockedFile(BaseModel):
    """A fetched file."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    size: int = Field(ge=0)


class LockedModel(BaseModel):
    """An entry of models.lock: the commit and the files that were fetched for a model."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    repository: str
    revision: str  # as conf/model/<name>.yaml asked for it
    commit: str = Field(pattern=r"^[0-9a-f]{40}$")
    files: dict[FileName, LockedFile] = Field(min_length=1)

    def answers(self, files: HubFiles) -> bool:
        """Return whether the entry fits the request in `files`."""
        return (self.repository, self.revision) == (files.repository, files.revision)


class LockedWheel(BaseModel):
    """An entry of models.lock: the wheel of a model, and the files made of the wheel."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    package: str
    version: str
    recipe: str = Field(pattern=SHA256)  # of all that the model's file says of the wheel
    files: dict[FileName, LockedFile] = Field(min_length=1)

    def answers(self, files: WheelFiles) -> bool:
        """Return whether the entry fits the request in `files`."""
        return self.recipe == recipe_of(files)


Locked = LockedModel | LockedWheel


def recipe_of(files: WheelFiles) -> str:
    """Return the sha256 of the keys about wheel and conversion in a model's file."""
    content = files.model_dump(include=set(WheelFiles.model_fields))
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def read_lock(path: str = LOCK) -> dict[str, Locked]:
    """Return the entries of models.lock by the names of conf/model/; none without the file.

    A checkpoint of a model's training has the name <model>@step<step>.

    Raises:
        InputError: naming the model, the key, what was found and what is allowed.
    """
    if not Path(path).is_file():
        return {}
    entries = read_yaml(Path(path)).items()
    return {name: _entry(entry, f"{path}, '{name}'") for name, entry in entries}


def _entry(content: Any, where: str) -> Locked:
    if isinstance(content, dict) and "package" in content:
        return validate(LockedWheel, content, where)
    return validate(LockedModel, content, where)


def add_to_lock(name: str, entry: Locked, path: str = LOCK) -> None:
    """Write an entry of models.lock; entries written by other fetches at once stay.

    Raises:
        InputError: if the file cannot be written.
    """
    from filelock import FileLock

    try:
        GUARD.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(GUARD):
            write_lock(read_lock(path) | {name: entry}, path)
    except OSError as error:
        raise InputError(f"{GUARD}: cannot be written: {error.strerror or error}") from error


def write_lock(entries: Mapping[str, Locked], path: str = LOCK) -> None:
    """Write models.lock, sorted, whole or not at all."""
    content = {name: entry.model_dump() for name, entry in entries.items()}
    with writing(Path(path)) as partial:
        partial.write_text(HEADER + yaml.safe_dump(content, sort_keys=True), encoding="utf-8")


def locked_model(name: str, files: HubFiles, lock: Mapping[str, Locked]) -> LockedModel:
    """Return the entry of `lock` about what was fetched for the model `name`.

    Raises:
        InputError: if nothing was fetched, or it came from another repository or revision, or its
            files differ from the pins in the model's own file.
    """
    entry = lock.get(name)
    if entry is None:
        raise not_fetched(name, f"{LOCK} does not have it")
    if isinstance(entry, LockedWheel):
        raise not_fetched(name, f"{LOCK} has {_wheel(entry)}, its file asks for the hub")
    if not entry.answers(files):
        fetched = f"{entry.repository} at {entry.revision}"
        wanted = f"{files.repository} at {files.revision}"
        raise not_fetched(name, f"{LOCK} has {fetched}, its file asks for {wanted}")
    check_pins(name, files, entry)
    return entry


def locked_wheel(name: str, files: WheelFiles, lock: Mapping[str, Locked]) -> LockedWheel:
    """Return the entry of `lock` about what was made of the wheel of the model `name`.

    Raises:
        InputError: if nothing was made, or it was made of another wheel or in another way.
    """
    entry = lock.get(name)
    if entry is None:
        raise not_fetched(name, f"{LOCK} does not have it")
    if isinstance(entry, LockedModel):
        raise not_fetched(name, f"{LOCK} has {entry.repository}, its file asks for a wheel")
    if not entry.answers(files):
        wanted = f"{files.package} {files.version}"
        same = wanted == _wheel(entry)
        change = "other hashes, members or config" if same else wanted
        raise not_fetched(name, f"{LOCK} has {_wheel(entry)}, its file asks for {change}")
    return entry


def _wheel(entry: LockedWheel) -> str:
    return f"{entry.package} {entry.version}"


def check_pins(name: str, files: HubFiles, entry: LockedModel) -> None:
    """Stop unless the fetched files match the pins in the model's file.

    Raises:
        InputError: naming a missing or different file.
    """
    for file, expected in files.sha256.items():
        digest = entry.files[file].sha256 if file in entry.files else "no such file"
        if digest != expected:
            raise InputError(
                f"{model_file(name)}: key 'sha256.{file}': {entry.repository} at "
                f"{entry.commit} has another\n  found    {digest}\n  expected {expected}"
            )


def not_fetched(name: str, reason: str) -> InputError:
    """Return the error that tells a user to fetch a model first."""
    return InputError(f"{name}: not fetched, {reason}; get it with\n  {fetch_command(name)}")


def fetch_command(name: str) -> str:
    """Return the command to fetch a model, or all chosen checkpoints of a checkpoint's model."""
    model, _, step = name.partition("@")
    return f"embspace fetch {model}{' --checkpoints' if step else ''}"
