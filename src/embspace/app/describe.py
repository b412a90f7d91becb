"""Command `embspace describe`, and models by folder or repository without a file in conf/model/.

The content of a missing conf/model/<name>.yaml is found in the files of the model.
"""

import hashlib
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import chdir, contextmanager
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from embspace.app.homes import expanded
from embspace.app.queries.loading import without_report_of_weights
from embspace.errors import InputError, RefusedModel, did_you_mean, reason_of
from embspace.files.atomic import writing
from embspace.models.checks.config_file import check_config
from embspace.settings.find_description import LIST
from embspace.settings.model import (
    REPOSITORY,
    HubFiles,
    VectorsModel,
    describe_model,
    model_file,
)
from embspace.settings.own import own_description
from embspace.settings.params import CONF, TOY, checked_name
from embspace.settings.schema import is_empty, read_yaml

if TYPE_CHECKING:
    from embspace.models.describe import Findings

MODELS = CONF / "model"
KEPT = 16  # findings in a process
_KEPT: "dict[str, Findings]" = {}
Say = Callable[[str], None]
Given = dict[str, Any]
"""Keys of a description, with their values."""


@dataclass(frozen=True)
class Named:
    """A model, by the name under which its results are kept."""

    name: str
    described: dict[str, Any] | None = None
    """The keys and values of the model's file; None if conf/model/ has the file already."""
    missing: dict[str, str] | None = None
    """Keys that could not be found, with the reasons."""
    summary: str = ""


def find_model(typed: str, root: Path, say: Say | None, given: Given | None = None) -> Named:
    """Return the model of a name in conf/model/, a folder, or a repository `owner/name`.

    A folder or repository described by a file of conf/model/ has the file's name. `say` reports a
    fetch; with None nothing is fetched, and a repository must have been fetched before. `given` are
    keys of the description from the user, for a model without a file.

    Raises:
        InputError: if the model does not exist, or a file in conf/model/ sets a key of `given`.
        RefusedModel: if the model's files cannot be read.
    """
    if _has_file(typed, root):
        return _not_given(Named(checked_name(typed)), given)
    folder = expanded(typed)
    if typed.strip() and folder.is_dir():  # an empty name is not the current folder
        place: Path | str = folder.resolve()
    elif re.fullmatch(REPOSITORY, typed) and not typed.startswith("."):
        place = typed
    else:
        raise InputError(_unknown(typed, root))
    if known := _known(root, place):
        return _not_given(known, given)
    if isinstance(place, Path):
        return _folder_model(place, root, given or {})
    return _repository_model(place, root, say, given or {})


def is_described(typed: str, root: Path) -> bool:
    """Return whether a file of conf/model/ describes the model of a name, folder or repository."""
    folder = expanded(typed)
    place = folder.resolve() if typed.strip() and folder.is_dir() else typed
    return _has_file(typed, root) or _known(root, place) is not None


def is_fetched(repository: str, root: Path) -> bool:
    """Return whether a repository `owner/name` is in conf/model/, or was fetched before."""
    if not re.fullmatch(REPOSITORY, repository):
        return False
    with chdir(root):
        return (
            _known(root, repository) is not None or _free_name(repository, root) in _locked_names()
        )


def placed(typed: str, root: Path, here: Path) -> str:
    """Return the absolute path of a folder with a model; a name of conf/model/ stays a name."""
    folder = (here / expanded(typed)).resolve()
    is_model = any((folder / name).is_file() for name in ("config.json", "modules.json"))
    return str(folder) if typed.strip() and is_model and not _has_file(typed, root) else typed


def _has_file(name: str, root: Path) -> bool:
    """Return whether conf/model/ has the file of a model of this name, in this case of letters."""
    folder = root / MODELS
    return folder.is_dir() and any(file.name == f"{name}.yaml" for file in folder.iterdir())


def given_keys(allow_unused: Sequence[str] | None, tokenizer: str | None) -> Given:
    """Return the keys of a description that options of a command set.

    Raises:
        InputError: if the tokenizer is no folder.
    """
    given: Given = {"allow_unused": list(allow_unused)} if allow_unused else {}
    if tokenizer is not None:
        folder = expanded(tokenizer)
        if not folder.is_dir():
            raise InputError(
                f"--tokenizer: found {tokenizer}, allowed: a folder with the tokenizer's files, "
                "such as that of the model before it was trained on"
            )
        given["tokenizer"] = {"source": "path", "path": str(folder.resolve())}
    return given


def _not_given(known: Named, given: Given | None) -> Named:
    """Return a model that has a file, if no key of the file is given as an option."""
    if given:
        raise InputError(
            f"{model_file(known.name)}: describes this model; set {', '.join(given)} there"
        )
    return known


def check_complete(model: Named, typed: str) -> None:
    """Stop if a key of a model's file could not be found.

    Raises:
        InputError: naming each missing key with the reason, and how to set it.
    """
    if model.missing:
        name = plain_name(model)
        keys = "".join(f"\n  key '{key}': {why}" for key, why in model.missing.items())
        raise RefusedModel(
            f"{typed}: not all that is needed can be found in its files:{keys}\nwrite the rest "
            f"with\n  embspace describe {typed} --write\nthen set what is missing in "
            f"{model_file(name)}"
        )


def plain_name(model: Named) -> str:
    """Return the name of a file for the model in conf/model/, without the digest of the content."""
    is_folder = model.described is not None and model.described["source"] == "path"
    return re.sub(r"-[0-9a-f]{8}$", "", model.name) if is_folder else model.name


def description_of(model: Named, root: Path) -> str:
    """Return the file in conf/model/ of a model: as it is there, or as it would be written."""
    if model.described is None:
        return (root / MODELS / f"{model.name}.yaml").read_text(encoding="utf-8")
    content = dict(model.described)
    if "path" in content and Path(content["path"]).is_relative_to(root):
        content["path"] = str(Path(content["path"]).relative_to(root))
    written = yaml.safe_dump(content, allow_unicode=True, sort_keys=False)
    missing = "".join(
        f"# {key}:  # not found: {why}\n" for key, why in (model.missing or {}).items()
    )
    return f"# {model.summary}; found in the files of the model.\n{written}{missing}"


def write_description(model: Named, root: Path) -> Path:
    """Write the file in conf/model/ for a model that has none.

    Raises:
        InputError: if the model has one.
    """
    path = root / MODELS / f"{plain_name(model)}.yaml"
    if model.described is None:
        raise InputError(f"{path}: describes this model already")
    with writing(path) as partial:
        partial.write_text(description_of(model, root), encoding="utf-8")
    return path


def _known(root: Path, place: Path | str) -> Named | None:
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


def _folder_model(folder: Path, root: Path, given: Given) -> Named:
    from embspace.models.sentence.files import transformer_folder
    from embspace.models.sentence.modules import known_modules

    with _without_file(folder.name):
        known_modules(folder)
        check_config(transformer_folder(folder))
        files = [*files_of_model(folder)]
    hashes = hashes_of(folder, files)
    told_apart = [*sorted(hashes.items()), *([given] if given else [])]
    digest = hashlib.sha256(repr(told_apart).encode()).hexdigest()[:8]
    name = f"{_free_name(folder.name, root)}-{digest}"
    source = {"source": "path", "path": str(folder), "sha256": hashes}
    return _described(name, folder.name, source | given, root)


def hashes_of(folder: Path, files: Iterable[Path]) -> dict[str, str]:
    """Return the SHA-256 of every file, by the path in the folder."""
    from embspace.models.locate import sha256

    return {file.relative_to(folder).as_posix(): sha256(file) for file in files}


def files_of_model(folder: Path) -> Iterator[Path]:
    """Yield the files of a model in a folder; the hashes tell the model from a later version."""
    from embspace.models.hub import CONFIG, TOKENIZER
    from embspace.models.locate import weight_files
    from embspace.models.sentence.files import sentence_files, transformer_folder

    place = transformer_folder(folder)
    small = (place / file for file in sorted({CONFIG, *TOKENIZER}))
    files = [*(file for file in small if file.is_file()), *weight_files(place)]
    yield from dict.fromkeys([*files, *sentence_files(folder)])


def _repository_model(repository: str, root: Path, say: Say | None, given: Given) -> Named:
    name = _free_name(repository, root)
    files = HubFiles(source="hub", repository=repository)
    with chdir(root), _without_file(name):
        if say:
            try:
                _fetch(name, files, say)
            except InputError as error:
                raise InputError(f"{error}\nnor is there a folder {repository} here") from None
        elif name not in _locked_names():
            raise InputError(
                f"{repository}: not fetched; get it with\n  embspace describe {repository}"
            )
    if "tokenizer" in given:
        raise InputError("--tokenizer: allowed with a folder, whose tokenizer is elsewhere")
    return _described(name, repository, {"source": "hub", "repository": repository} | given, root)


def _fetch(name: str, files: HubFiles, say: Say) -> None:
    from embspace.app.fetch import fetch_files
    from embspace.files.asking import allow_hub

    allow_hub()
    for remark in fetch_files(name, files):
        say(remark)


def _locked_names() -> set[str]:
    from embspace.models.lock import read_lock

    return {*read_lock()}


def _described(name: str, label: str, source: dict[str, Any], root: Path) -> Named:
    """Load model and tokenizer, and find what can be said about them; once in a process."""
    from embspace.models.lock import read_lock

    described = own_description(label, source)
    with chdir(root), _without_file(name), without_report_of_weights():
        # What is described has the hashes of a folder's files, the lock those of a repository.
        elsewhere = described.get("tokenizer", {}).get("path")
        hashes = hashes_of(Path(elsewhere), files_of_model(Path(elsewhere))) if elsewhere else {}
        key = repr((name, described, root, read_lock().get(name), hashes))
        if key not in _KEPT:
            while len(_KEPT) >= KEPT:
                del _KEPT[next(iter(_KEPT))]
            _KEPT[key] = _findings(name, described)
        findings = _KEPT[key]
    content = {**described, **deepcopy(findings.keys)}
    return Named(name, content, findings.questions, f"{label}, {findings.summary}")


def _findings(name: str, described: dict[str, Any]) -> "Findings":
    from embspace.models.architecture import code_note
    from embspace.models.describe import describe_module
    from embspace.models.parameters.describe_head import describe_head
    from embspace.models.sentence.vectors import check_sentences
    from embspace.models.tokenizer import load_tokenizer, tokenizer_note
    from embspace.models.weights import load_model

    nothing = {"input": "", "positional": None, "segment": None}
    model = describe_model(name, described | {"matrices": nothing})
    assert not isinstance(model, VectorsModel)  # `described` names files of weights
    try:
        module, tokenizer = load_model(name, model), load_tokenizer(name, model)
        findings = describe_module(module, tokenizer)
        known = {key: findings.keys.get(key) for key in ("final_norm", "token_types")}
        notes = [code_note(name, model), tokenizer_note(name, model.model_copy(update=known))]
        if note := " ".join(filter(None, notes)):
            findings.keys["note"] = note
        check_sentences(name, model.model_copy(update=known), module, tokenizer)
    except InputError:
        raise
    except Exception as error:  # what a model raises depends on the architecture
        place = described.get("path") or described["repository"]
        raise RefusedModel(
            f"{place}: cannot be loaded and read: {type(error).__name__}: {reason_of(error)}"
        ) from error
    head = describe_head(name, model, module)
    if "output" in head:
        findings.keys["matrices"]["output"] = head["output"]
    if "masked_head" in head:
        findings.keys["masked_head"] = head["masked_head"]
    return findings


@contextmanager
def _without_file(name: str) -> Iterator[None]:
    """Remove the name of a file that does not exist from messages about a refused model."""
    try:
        yield
    except InputError as error:
        plain = str(error).replace(f"{model_file(name)}: ", "")
        raise RefusedModel(plain) from error.__cause__


def _free_name(place: str, root: Path) -> str:
    """Return a folder's or repository's name as a model's name that conf/model/ does not have."""
    name = re.sub(r"-{2,}", "-", re.sub(r"[^A-Za-z0-9_.-]+", "_", place)).strip("-.") or "model"
    if name == TOY:
        name += "_model"
    while (root / MODELS / f"{name}.yaml").exists():
        name += "_other"
    return name


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
