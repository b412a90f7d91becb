"""Takes files from the model hub into the cache of Hugging Face's library huggingface_hub.

Cache, token, proxies and endpoint are the library's, set by environment variables (HF_HOME,
HF_TOKEN, HTTPS_PROXY, HF_ENDPOINT, ...). The library's own download starts an interrupted file
again from the beginning; this module requests the rest.
"""

import hashlib
import math
import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from huggingface_hub import (
    ModelInfo,
    constants,
    get_session,
    hf_hub_url,
    hf_raise_for_status,
    try_to_load_from_cache,
)
from huggingface_hub.errors import RevisionNotFoundError
from huggingface_hub.utils import WeakFileLock  # type: ignore[attr-defined]
from tqdm import tqdm

from embspace.errors import InputError
from embspace.files.atomic import writing
from embspace.files.remote import Limits, Pace
from embspace.models.hub_answers import ask_hub, hub_headers, read_answer
from embspace.models.hub_errors import input_errors, no_space, patiently
from embspace.models.locate import SHARD, WEIGHTS, is_in_cache, sha256
from embspace.models.lock import LOCK
from embspace.models.sentence.files import MODULES, module_files, module_folders
from embspace.settings.model import HubFiles, model_file

CONFIG = "config.json"
TOKENIZER = {
    "added_tokens.json",
    "merges.txt",
    "sentencepiece.bpe.model",
    "sentencepiece.model",
    "special_tokens_map.json",
    "spiece.model",
    "spm.model",
    "tokenizer.json",
    "tokenizer.model",
    "tokenizer_config.json",
    "vocab.json",
    "vocab.txt",
}
PICKLE = "pytorch_model.bin"
PICKLE_SHARD = re.compile(r"pytorch_model-\d{5}-of-\d{5}\.bin")
SHA1 = re.compile(r"[0-9a-f]{40}")  # a commit, or git's id of a content
SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class RemoteFile:
    """A file of the hub's listing: large files by sha256, small files by git's content id."""

    name: str
    size: int | None
    sha256: str | None
    blob_id: str | None


@dataclass(frozen=True)
class Listing:
    """The files of a repository at one commit."""

    commit: str
    files: dict[str, RemoteFile]


def list_files(name: str, files: HubFiles, revision: str) -> Listing:
    """Return the files that the hub lists at a branch, tag or commit.

    Raises:
        InputError: naming the key, if there is no such repository or revision, or if the hub
            refuses, cannot be reached or answers without end.
    """
    path = f"models/{files.repository}"
    with input_errors(name, files):
        try:
            revised = f"{path}/revision/{quote(revision, safe='')}"
            answer = patiently(lambda: ask_hub(revised, {"blobs": "true"}))
        except RevisionNotFoundError:
            refs = ask_hub(f"{path}/refs", {})
            allowed = ", ".join(ref["name"] for ref in [*refs["branches"], *refs["tags"]])
            asked_in = f"{model_file(name)}: key 'revision'" if revision == files.revision else LOCK
            raise InputError(
                f"{asked_in}: found {revision!r}, which {files.repository} does not have; allowed: "
                f"{allowed}, or a commit"
            ) from None
        return _checked_listing(ModelInfo(**answer))  # type: ignore[no-untyped-call]


def choose_files(
    name: str, files: HubFiles, listing: Listing, modules: Sequence[str] = (), *, weights: bool
) -> list[str]:
    """The names of the files needed by a model, or by a tokenizer.

    Weights are safetensors, whole or in shards, if present, else pickles if allowed. `modules` are
    the folders of a sentence model's modules; the first has the model.

    Raises:
        InputError: if config.json, or allowed weights, are missing.
    """
    place = f"{modules[0]}/" if modules and modules[0] else ""
    names = sorted(file.removeprefix(place) for file in listing.files if file.startswith(place))
    if CONFIG not in names:
        raise InputError(
            f"{model_file(name)}: {files.repository} has no {place}{CONFIG} at {listing.commit}; "
            "it is no model of transformers"
        )
    chosen = [CONFIG, *(file for file in names if file in TOKENIZER)]
    if weights:
        chosen += _weights(name, files, names)
    described = [MODULES] if place else []
    behind = module_files(listing.files, modules) if weights and modules else described
    return sorted({*(f"{place}{file}" for file in chosen), *behind})


def fetch_modules(name: str, files: HubFiles, listing: Listing) -> list[str]:
    """Return the folders of a sentence model's modules, by modules.json; none without that file.

    Raises:
        InputError: as `fetch_file` does; RefusedModel, if the file is no list of modules.
    """
    if MODULES not in listing.files:
        return []
    return module_folders(fetch_file(name, files, listing.commit, listing.files[MODULES]).parent)


def fetch_file(name: str, files: HubFiles, commit: str, file: RemoteFile) -> Path:
    """A file of a commit in the library's cache; downloaded if missing or damaged.

    Raises:
        InputError: if the hub refuses, cannot be reached or deviates from the listing, or if the
            disk is full.
    """
    with input_errors(name, files):
        cached = try_to_load_from_cache(files.repository, file.name, revision=commit)
        if isinstance(cached, str) and is_in_cache(Path(cached)) and is_intact(Path(cached), file):
            return Path(cached)
        return _link_to_snapshot(_place_blob(name, files, commit, file), commit, file)


def is_intact(path: Path, file: RemoteFile) -> bool:
    """Return whether a file has the size and hash of the hub's listing, if listed."""
    if file.size is not None and path.stat().st_size != file.size:
        return False
    if file.sha256:
        return sha256(path) == file.sha256
    return file.blob_id in (None, git_blob_id(path))


def git_blob_id(path: Path) -> str:
    """Return the name that git gives to a file's content."""
    content = path.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def has_weights(names: list[str], unpickle: bool) -> bool:
    """Return whether a model's files include weights in a form that may be loaded.

    The weights may lie in a folder, as in a sentence model.
    """
    names = [name.rpartition("/")[2] for name in names]
    pickles = _whole_or_shards(names, PICKLE, PICKLE_SHARD) if unpickle else []
    return bool(_whole_or_shards(names, WEIGHTS, SHARD) or pickles)


def _checked_listing(answer: Any) -> Listing:
    """Return the hub's listing, after a check that all names are safe parts of a path.

    Raises:
        ValueError: naming found and allowed.
    """
    listed = [_checked_file(sibling) for sibling in answer.siblings or []]
    _check_form("sha", answer.sha, SHA1)
    return Listing(answer.sha, {file.name: file for file in listed})


def _checked_file(sibling: Any) -> RemoteFile:
    sha256_of_large = sibling.lfs.sha256 if sibling.lfs else None
    where = f"of {sibling.rfilename!r}"
    if sibling.blob_id is not None:
        _check_form(f"blobId {where}", sibling.blob_id, SHA1)
    if sha256_of_large is not None:
        _check_form(f"lfs.sha256 {where}", sha256_of_large, SHA256)
    if sibling.size is not None and not (isinstance(sibling.size, int) and sibling.size >= 0):
        raise ValueError(f"size {where}: found {sibling.size!r}, allowed: a number of bytes")
    return RemoteFile(sibling.rfilename, sibling.size, sha256_of_large, sibling.blob_id)


def _check_form(key: str, digest: object, form: re.Pattern[str]) -> None:
    if not (isinstance(digest, str) and form.fullmatch(digest)):
        digits = 40 if form is SHA1 else 64
        raise ValueError(f"{key}: found {digest!r}, allowed: {digits} hexadecimal digits")


def _weights(name: str, files: HubFiles, names: list[str]) -> list[str]:
    if weights := _whole_or_shards(names, WEIGHTS, SHARD):
        return weights
    pickles = _whole_or_shards(names, PICKLE, PICKLE_SHARD)
    if pickles and files.unpickle:
        return pickles
    if pickles:
        raise InputError(
            f"{model_file(name)}: {files.repository} has no {WEIGHTS} at {files.revision}, only "
            f"{pickles[0]}, a pickle, which may run code when it is loaded; name a `revision` with "
            "safetensors, or, if you trust its makers, write\n  unpickle: true"
        )
    raise InputError(
        f"{model_file(name)}: {files.repository} has no {WEIGHTS} and no {PICKLE}; found: "
        f"{', '.join(names)}"
    )


def _whole_or_shards(names: list[str], whole: str, shard: re.Pattern[str]) -> list[str]:
    if whole in names:
        return [whole]
    index = f"{whole}.index.json"
    if index not in names:
        return []
    shards = [name for name in names if shard.fullmatch(name)]
    ending = f".{whole.rpartition('.')[2]}"  # by any name, where none is usual
    shards = shards or [name for name in names if name.endswith(ending) and "/" not in name]
    return [*shards, index] if shards else []


def _place_blob(name: str, files: HubFiles, commit: str, file: RemoteFile) -> Path:
    """Put the content of a file where the library keeps it; return the path."""
    url = hf_hub_url(files.repository, file.name, revision=commit)
    # A mirror that lists no hashes gives no name either.
    etag = file.sha256 or file.blob_id or hashlib.sha256(url.encode()).hexdigest()
    folder = Path(constants.HF_HUB_CACHE) / f"models--{files.repository.replace('/', '--')}"
    blob, locks = folder / "blobs" / etag, folder.parent / ".locks" / folder.name
    for path in (blob.parent, locks, folder / "snapshots" / commit):
        _make_folder(path)
    lock, partial = locks / f"{etag}.lock", blob.with_name(f"{etag}.incomplete")
    for path in (lock, partial, blob):
        if path.is_symlink() and not is_in_cache(path):
            path.unlink()
    with WeakFileLock(lock):  # the library's own
        if blob.is_file() and is_intact(blob, file):
            return blob
        _check_space(name, files, file, partial)
        _complete(partial, url, file)
        partial.replace(blob)
    return blob


def _make_folder(folder: Path) -> None:
    """Make a folder of the cache.

    Raises:
        OSError: before anything is made, if a link leads it outside the cache.
    """
    if not is_in_cache(folder):
        raise OSError(f"{folder} leads outside {constants.HF_HUB_CACHE}: a link is in the way")
    folder.mkdir(parents=True, exist_ok=True)


def _link_to_snapshot(blob: Path, commit: str, file: RemoteFile) -> Path:
    """Make a content the file of a commit, in the layout of the library.

    An old file is replaced; the target of an old link is left alone.
    """
    path = blob.parents[1] / "snapshots" / commit / file.name
    with writing(path) as partial:
        try:
            partial.symlink_to(os.path.relpath(blob, path.parent))
        except OSError:  # a file system without links
            shutil.copyfile(blob, partial)
    return path


def _check_space(name: str, files: HubFiles, file: RemoteFile, partial: Path) -> None:
    needed = (file.size or 0) - _size(partial)
    free = shutil.disk_usage(partial.parent).free
    if needed > free:
        where = f"{model_file(name)}: {files.repository}, {file.name}: needs {needed:,} bytes"
        raise InputError(no_space(f"{where}, {free:,} are free"))


def _complete(partial: Path, url: str, file: RemoteFile) -> None:
    """Download the missing part of `partial`; once from the start, if the part does not fit."""
    for _ in range(2):
        if file.size is not None and _size(partial) > file.size:
            partial.unlink()
        try:
            patiently(lambda: _append(partial, url, file), progress=lambda: _size(partial))
        except InputError:
            if file.size is None:  # it may have no end, and the disk would stay full of it
                partial.unlink(missing_ok=True)
            raise
        if is_intact(partial, file):
            return
        partial.unlink()
    raise InputError(f"{url}: the download is not what the hub lists, by size or hash; try again")


def _append(partial: Path, url: str, file: RemoteFile) -> None:
    """Request the rest of a file, and write it as it comes."""
    start = _size(partial)
    if start == file.size and partial.is_file():
        return
    headers = hub_headers()
    if start:
        headers["Range"] = f"bytes={start}-"
    seconds = float(constants.HF_HUB_DOWNLOAD_TIMEOUT)
    with get_session().stream("GET", url, headers=headers, timeout=seconds) as answer:
        if answer.is_error:
            hf_raise_for_status(read_answer(answer))
        start = start if answer.status_code == 206 else 0  # else the server sends all of it
        with (
            partial.open("ab" if start else "wb") as stream,
            tqdm(
                total=file.size,
                initial=start,
                desc=file.name,
                unit="B",
                unit_scale=True,
                disable=None,
            ) as bar,
        ):
            pace = Pace(url, _limits(file, partial))
            for chunk in answer.iter_bytes():
                pace.count(len(chunk))
                stream.write(chunk)
                bar.update(len(chunk))
                if file.size is not None and stream.tell() > file.size:
                    return  # what comes without end is never whole


def _limits(file: RemoteFile, partial: Path) -> Limits:
    """Return how much of a file is taken: half of the free space if its size is not listed."""
    free = shutil.disk_usage(partial.parent).free
    return Limits(free // 2 if file.size is None else math.inf, math.inf)


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0
