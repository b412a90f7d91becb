"""Copies files and folders, and touches only what differs."""

import shutil
from filecmp import cmp
from pathlib import Path

from embspace.errors import InputError
from embspace.files.atomic import writing

COMPILED = "__pycache__/*.nb[ci]"  # what numba made of loops, which takes it half a minute


def mirror_folder(source: Path, target: Path) -> None:
    """Make `target` hold exactly the files of `source`, and touch only different files.

    Raises:
        InputError: if `source` has a link that leads to no file.
    """
    check_links(source)
    _remove_others(source, target)
    for path in _files(source):
        copy_file(path, target / path.relative_to(source))
    for path in source.rglob(COMPILED):
        copy = target / path.relative_to(source)
        if not copy.is_file() or copy.stat().st_mtime < path.stat().st_mtime:
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copy)


def check_links(folder: Path) -> None:
    """Stop at a link below a folder that leads to a folder, or nowhere.

    Raises:
        InputError: naming the link and the target.
    """
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() and not path.is_file():
            target = "a folder" if path.is_dir() else "nothing"
            raise InputError(
                f"{path}: found a link to {target}, allowed: files, folders, and links to files"
            )


def copy_file(source: Path, target: Path) -> None:
    """Make `target` a copy of `source`, with its time, whole or not at all."""
    if not (target.is_file() and cmp(source, target, shallow=False)):
        with writing(target) as partial:
            shutil.copy2(source, partial)  # with its time, which numba looks at


def link_files(source: Path, target: Path) -> None:
    """The same file in both trees, or exactly the files of a folder.

    Stages replace files, and never write into a file.
    """
    if source.is_dir():
        _remove_others(source, target)
        for path in _files(source):
            link_files(path, target / path.relative_to(source))
    elif source.is_file():
        _link_file(source, target)


def _link_file(source: Path, target: Path) -> None:
    with writing(target) as partial:
        try:
            partial.hardlink_to(source)
        except OSError:  # on another disk
            shutil.copyfile(source, partial)


def write_changed(target: Path, content: bytes) -> None:
    """Make `target` hold `content`, whole or not at all."""
    if not (target.is_file() and target.read_bytes() == content):
        with writing(target) as partial:
            partial.write_bytes(content)


def _remove_others(source: Path, target: Path) -> None:
    wanted = {path.relative_to(source) for path in _files(source)}
    for path in _files(target):
        if path.relative_to(target) not in wanted:
            path.unlink()


def _files(folder: Path) -> list[Path]:
    paths = (path for path in folder.rglob("*") if path.is_file() or path.is_symlink())
    return sorted(path for path in paths if "__pycache__" not in path.parts)
