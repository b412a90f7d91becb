"""A study: the folder in which the pipeline runs, with files from embspace.

A clone of the repository is a study. The package contains the same files, and `embspace init` makes
a study of them. A command called outside of any study works in a study in the user's cache.
"""

import hashlib
import re
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path

from embspace.errors import InputError
from embspace.files.copies import copy_file, write_changed
from embspace.settings.params import CONF, PARAMS

PACKAGE = Path(__file__).parent.parent
IN_WHEEL = PACKAGE / "study"  # where pyproject.toml puts them
FOLDERS = ("conf", "pipeline", "data/published", "data/stimuli", "data/texts")
TOLERANCES = "tests/baselines/tolerances.yaml"  # of results of two studies
FILES = (".dvcignore", "CITATION.cff", "dvc.yaml", "models.lock", "params.yaml", TOLERANCES)
LOCKED = Path("requirements.lock")
STUDY = "study"  # in the user's cache
MADE_OF = Path("src/embspace.txt")  # says which package a study without code was made of
LOCKS = "dvc.lock"  # of the repository, which say what its own results are
SWAPPED = ("models.lock", "params.yaml")


def brought_along() -> Path | None:
    """Return the folder with embspace's files of a study: in the wheel, or the repository."""
    if IN_WHEEL.is_dir():
        return IN_WHEEL
    repository = PACKAGE.parent.parent
    return repository if is_study(repository) else None


def is_study(folder: Path) -> bool:
    """Return whether a folder has the files of a study's root."""
    return all((folder / name).exists() for name in ("dvc.yaml", PARAMS, CONF / "model"))


def write_study(folder: Path, *, without_git: bool) -> None:
    """Write or renew the files of a study; what users choose, add and compute stays.

    Raises:
        InputError: if this embspace has no files of a study, or the folder cannot be written.
    """
    source = brought_along()
    if source is None:
        raise InputError(f"{PACKAGE}: has no files of a study; install embspace from its wheel")
    for place in _files(source):
        if str(place) not in SWAPPED or not (folder / place).is_file():
            copy_file(source / place, folder / place)
    no_scm = "    no_scm = true\n" if without_git else ""
    settings = f"[core]\n    analytics = false\n    check_update = false\n{no_scm}"
    types = '[cache]\n    type = "reflink,hardlink,copy"\n'
    write_changed(folder / ".dvc/config", (settings + types).encode())
    _write_package(folder, source)  # the last, so that it says: complete


def home_study(cache: Path) -> Path:
    """Return the study in the user's cache, renewed if made by another embspace.

    Raises:
        InputError: as `write_study` does.
    """
    folder = cache / STUDY
    made_of = folder / MADE_OF
    if not made_of.is_file() or made_of.read_text(encoding="utf-8") != told_apart():
        write_study(folder, without_git=True)
    return folder


def renew_package(folder: Path) -> None:
    """Record in a study without code which embspace is installed: stages notice a change."""
    made_of, source = folder / MADE_OF, brought_along()
    if source is not None and made_of.is_file() and made_of.read_text("utf-8") != told_apart():
        _write_package(folder, source)


def _write_package(folder: Path, source: Path) -> None:
    write_changed(folder / LOCKED, _installed(source / LOCKED).encode())
    write_changed(folder / MADE_OF, told_apart().encode())


def differences(folder: Path) -> list[str]:
    """Return the paths of settings in a study that differ from this embspace's settings.

    Empty for a clone, which is the source of the settings. Additions and choices of the user do not
    count, such as the texts of an analysis of a single corpus.
    """
    source = brought_along()
    if source is None or source.resolve() == folder.resolve():
        return []
    lines = []
    for place in _files(source):
        if str(place) in SWAPPED:
            continue
        if not (folder / place).is_file():
            lines.append(f"{place}: not there")
        elif _as_brought(folder / place) != _as_brought(source / place):
            lines.append(f"{place}: changed")
    return lines


def _as_brought(file: Path) -> bytes:
    """Return the content of a file; of a settings file, without its choice of texts."""
    return re.sub(rb"(?m)^(corpus|texts|example):.*$", rb"\1:", file.read_bytes())


def _files(source: Path) -> list[Path]:
    """Return the paths of the files of a study."""
    paths = [path for name in FOLDERS for path in sorted((source / name).rglob("*"))]
    inside = [path.relative_to(source) for path in paths if path.is_file()]
    return [*(path for path in inside if path.name != LOCKS), *map(Path, FILES)]


@cache
def told_apart() -> str:
    """Return the version of embspace, and a mark to tell apart files of the same version."""
    listed = distribution("embspace").read_text("RECORD") if IN_WHEEL.is_dir() else None
    files = listed or "".join(
        f"{path} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        for path in sorted(PACKAGE.rglob("*.py"))
    )
    digest = hashlib.sha256(files.encode()).hexdigest()[:16]
    return f"embspace {version('embspace')} {digest}\n"


def _installed(lock: Path) -> str:
    """Return the packages of a lock file in the installed versions."""
    lines = []
    for name in re.findall(r"(?m)^([A-Za-z0-9._-]+)==", lock.read_text(encoding="utf-8")):
        try:
            lines.append(f"{name}=={version(name)}\n")
        except PackageNotFoundError:
            continue  # of an extra that is not wanted here
    return "".join(lines)
