"""Finds the model that a user names: by a file of conf/model/, by a folder, or by a repository."""

import hashlib
import re
import shlex
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

from embspace.app.describe.description import MODELS, Named
from embspace.app.describe.findings import described_by_files, without_file
from embspace.app.describe.given import Given
from embspace.app.describe.hashes import files_of_model, hashes_of
from embspace.app.describe.names import free_name, has_file, known_model, locked_names
from embspace.app.homes import expanded
from embspace.errors import InputError, did_you_mean
from embspace.models.checks.config_file import check_config
from embspace.settings.find_description import LIST
from embspace.settings.model import REPOSITORY, HubFiles, model_file
from embspace.settings.params import checked_name

Say = Callable[[str], None]


def find_model(typed: str, root: Path, say: Say | None, given: Given | None = None) -> Named:
    """Return the model of a name in conf/model/, a folder, or a repository `owner/name`.

    A folder or repository described by a file of conf/model/ has the file's name. `say` reports a
    fetch; with None nothing is fetched, and a repository must have been fetched before. `given` are
    keys of the description from the user, for a model without a file.

    Raises:
        InputError: if the model does not exist, or a file in conf/model/ sets a key of `given`.
        RefusedModel: if the model's files cannot be read.
    """
    if has_file(typed, root):
        return _not_given(Named(checked_name(typed)), given)
    folder = expanded(typed)
    if typed.strip() and folder.is_dir():  # an empty name is not the current folder
        place: Path | str = folder.resolve()
    elif re.fullmatch(REPOSITORY, typed) and not typed.startswith("."):
        place = typed
    else:
        raise InputError(_unknown(typed, root))
    if known := known_model(root, place):
        return _not_given(known, given)
    if isinstance(place, Path):
        return _folder_model(place, root, given or {})
    return _repository_model(place, root, say, given or {})


def _not_given(known: Named, given: Given | None) -> Named:
    """Return a model that has a file, if no key of the file is given as an option."""
    if given:
        raise InputError(
            f"{model_file(known.name)}: describes this model; set {', '.join(given)} there"
        )
    return known


def _folder_model(folder: Path, root: Path, given: Given) -> Named:
    from embspace.models.sentence.files import transformer_folder
    from embspace.models.sentence.modules import known_modules

    with without_file(folder.name):
        known_modules(folder)
        check_config(transformer_folder(folder))
        files = [*files_of_model(folder)]
    hashes = hashes_of(folder, files)
    told_apart = [*sorted(hashes.items()), *([given] if given else [])]
    digest = hashlib.sha256(repr(told_apart).encode()).hexdigest()[:8]
    name = f"{free_name(folder.name, root)}-{digest}"
    source = {"source": "path", "path": str(folder), "sha256": hashes}
    return described_by_files(name, folder.name, source | given, root)


def _repository_model(repository: str, root: Path, say: Say | None, given: Given) -> Named:
    name = free_name(repository, root)
    files = HubFiles(source="hub", repository=repository)
    with chdir(root), without_file(name):
        if say:
            try:
                _fetch(name, files, say)
            except InputError as error:
                raise InputError(f"{error}\nnor is there a folder {repository} here") from None
        elif name not in locked_names():
            raise InputError(
                f"{repository}: not fetched; get it with\n  embspace describe {repository}"
            )
    if "tokenizer" in given:
        raise InputError("--tokenizer: allowed with a folder, whose tokenizer is elsewhere")
    return described_by_files(
        name, repository, {"source": "hub", "repository": repository} | given, root
    )


def _fetch(name: str, files: HubFiles, say: Say) -> None:
    from embspace.app.fetch import fetch_files
    from embspace.files.asking import allow_hub

    allow_hub()
    for remark in fetch_files(name, files):
        say(remark)


def _is_of_texts(path: Path) -> bool:
    """Return whether a path has the ending of texts."""
    from embspace.files.formats.endings import ENDINGS, ending_of

    return ending_of(path.name) in ENDINGS


def _unknown(typed: str, root: Path) -> str:
    if _is_of_texts(Path(typed)):
        there = "is a file of texts" if Path(typed).is_file() else "has the ending of texts"
        return (
            f"{typed}: {there}, not a model; to have a model read them, type\n  embspace report "
            f"minilm --corpus {shlex.quote(typed)}"
        )
    if typed.startswith((".", "/", "~")):
        return f"{typed}: no such folder; a model's has config.json, model.safetensors, a tokenizer"
    allowed = sorted(path.stem for path in (root / MODELS).glob("*.yaml"))
    return (
        f"{MODELS / typed}.yaml: not found{did_you_mean(typed, allowed) or ';'} allowed: a folder, "
        f"a repository owner/name, or one that `{LIST}` lists"
    )
