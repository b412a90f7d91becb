"""A model hub on this machine: what its clients ask of the real one, answered in the same way.

Small files come from the hub itself, large ones by a redirect to another host, as the real hub
sends them to its storage.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.loopback import Answer, Request, Server, serving

LARGE = (".safetensors", ".bin", ".model")
TOKEN = "hf_of_someone_with_access"


@dataclass
class Repository:
    """Files by commit, commits by branch, and whether only `TOKEN` may have them."""

    commits: dict[str, dict[str, bytes]] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    gated: bool = False


@dataclass
class Hub:
    """Repositories by `owner/name`; `cut` names a file whose next download ends at a third."""

    repositories: dict[str, Repository] = field(default_factory=dict)
    cut: str | None = None
    cut_forever: bool = False
    busy: int = 0  # so many requests to come are answered by 503
    hub: Server = field(default_factory=lambda: Server(""))
    storage: Server = field(default_factory=lambda: Server(""))

    @property
    def address(self) -> str:
        return self.hub.address

    @property
    def requests(self) -> list[Request]:
        return [*self.hub.requests, *self.storage.requests]

    def push(self, name: str, files: Path | dict[str, bytes], branch: str = "main") -> str:
        """Make a folder, or contents by name, the newest commit of a branch; the commit."""
        if isinstance(files, Path):
            files = {path.name: path.read_bytes() for path in sorted(files.iterdir())}
        repository = self.repositories.setdefault(name, Repository())
        digest = hashlib.sha1(repr((branch, len(repository.commits))).encode())
        for key, content in files.items():
            digest.update(key.encode() + content)
        commit = digest.hexdigest()
        repository.commits[commit] = files
        repository.branches[branch] = commit
        return commit

    def environment(self, cache: Path) -> dict[str, str]:
        """The variables that make a command use this hub and a cache of its own."""
        return {"HF_ENDPOINT": self.address, "HF_HOME": str(cache)}

    def connect(self, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Make this process use this hub and a cache of its own."""
        from huggingface_hub import constants

        template = f"{self.address}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
        monkeypatch.setattr(constants, "ENDPOINT", self.address)
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache / "hub"))
        monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(cache / "token"))
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        monkeypatch.delenv("HF_TOKEN", raising=False)

    def answer(self, request: Request) -> Answer:
        """What the hub says."""
        if self.busy:
            self.busy -= 1
            return Answer(status=503)
        # A slash within a revision or a file is quoted.
        kinds = r"/api/models/([^/]+/[^/]+)/(refs|revision)/?([^/]*)"
        if match := re.fullmatch(kinds, request.path):
            return self._listing(request, *map(unquote, match.groups()))
        if match := re.fullmatch(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", request.path):
            return self._file(request, *map(unquote, match.groups()))
        return Answer(status=404)

    def _listing(self, request: Request, name: str, kind: str, revision: str) -> Answer:
        repository = self.repositories.get(name)
        if repository is None:
            return _unknown(request)
        if kind == "refs":
            refs = [
                {"name": branch, "ref": f"refs/heads/{branch}", "targetCommit": commit}
                for branch, commit in repository.branches.items()
            ]
            return json_answer({"branches": refs, "tags": [], "converts": []})
        commit = repository.branches.get(revision, revision)
        if commit not in repository.commits:
            return _refusal(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        files = repository.commits[commit]
        siblings = [_entry(file, content) for file, content in files.items()]
        return json_answer({"id": name, "sha": commit, "siblings": siblings})

    def _file(self, request: Request, name: str, revision: str, file: str) -> Answer:
        repository = self.repositories.get(name)
        if repository is None:
            return _unknown(request)
        if repository.gated and request.headers.get("authorization") != f"Bearer {TOKEN}":
            status = 403 if "authorization" in request.headers else 401
            return _refusal(status, "GatedRepo", f"Access to model {name} is restricted.")
        commit = repository.branches.get(revision, revision)
        content = repository.commits.get(commit, {}).get(file)
        if content is None:
            return _refusal(404, "EntryNotFound", "Entry not found")
        headers = {"X-Repo-Commit": commit, "Accept-Ranges": "bytes"}
        entry = _entry(file, content)
        if "lfs" not in entry:
            return _partly(request, content, headers | {"ETag": f'"{entry["blobId"]}"'})
        headers |= {
            "X-Linked-Etag": f'"{entry["lfs"]["sha256"]}"',
            "X-Linked-Size": str(len(content)),
        }
        location = f"{self.storage.address}/{name}/{commit}/{file}"
        return Answer(status=302, headers=headers | {"Location": location})

    def store(self, request: Request) -> Answer:
        """What the storage says, which knows the address and no tokens."""
        assert "authorization" not in request.headers
        owner, name, commit, file = request.path.strip("/").split("/", 3)
        content = self.repositories[f"{owner}/{name}"].commits[commit][file]
        answer = _partly(request, content, {"Accept-Ranges": "bytes"})
        if self.cut == file:
            if not self.cut_forever:
                self.cut = None
            return Answer(answer.body, answer.status, answer.headers, cut=len(content) // 3)
        return answer


@contextmanager
def serving_hub() -> Iterator[Hub]:
    """A hub without repositories."""
    hub = Hub()
    with serving(hub.answer) as hub.hub, serving(hub.store) as hub.storage:
        yield hub


def _entry(name: str, content: bytes) -> dict[str, object]:
    """A file as the hub lists it."""
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
    entry: dict[str, object] = {"rfilename": name, "size": len(content), "blobId": blob}
    if name.endswith(LARGE):
        sha256 = hashlib.sha256(content).hexdigest()
        entry["lfs"] = {"sha256": sha256, "size": len(content), "pointerSize": 134}
    return entry


def _partly(request: Request, content: bytes, headers: dict[str, str]) -> Answer:
    """The content, or its part from the byte that is asked for."""
    byte_range = re.fullmatch(r"bytes=(\d+)-", request.headers.get("range", ""))
    if byte_range is None:
        return Answer(content, headers=headers)
    start = int(byte_range[1])
    if start >= len(content):
        return Answer(status=416)
    span = f"bytes {start}-{len(content) - 1}/{len(content)}"
    return Answer(content[start:], status=206, headers=headers | {"Content-Range": span})


def _unknown(request: Request) -> Answer:
    # Who has no token is not told whether a repository is private or is not there.
    status = 404 if "authorization" in request.headers else 401
    return _refusal(status, "RepoNotFound", "Repository not found")


def _refusal(status: int, code: str, message: str) -> Answer:
    return Answer(status=status, headers={"X-Error-Code": code, "X-Error-Message": message})


def json_answer(content: object) -> Answer:
    """The answer that has `content` as JSON."""
    return Answer(json.dumps(content).encode(), headers={"Content-Type": "application/json"})
