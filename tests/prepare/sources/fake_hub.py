"""A model hub with one small data set, which speaks as much of the hub's protocol as is asked."""

import hashlib
import io
import json
from collections.abc import Callable
from urllib.parse import parse_qs

import pandas as pd
import yaml

from tests.loopback import Answer, Request

REPOSITORY = "someone/tiny"
OLD, NEW = "a" * 40, "b" * 40  # two commits; `main` is the new one


def hub(request: Request) -> Answer:
    """What the hub answers for REPOSITORY."""
    for prefix, respond in _ROUTES.items():
        if request.path.startswith(prefix):
            revision, _, path = request.path.removeprefix(prefix).partition("/")
            commit = NEW if revision == "main" else revision
            if commit not in FILES:
                return _missing("RevisionNotFound")
            return respond(commit, path, request)
    return _missing("RepoNotFound")


def _file(commit: str, path: str, request: Request) -> Answer:
    if path not in FILES[commit]:
        return _missing("EntryNotFound", {"X-Repo-Commit": commit})
    content = FILES[commit][path]
    return Answer(content, headers={"X-Repo-Commit": commit, "ETag": f'"{_hash(content)}"'})


def _info(commit: str, path: str, request: Request) -> Answer:
    siblings = [{"rfilename": name} for name in FILES[commit]]
    return _json({"_id": "1", "id": REPOSITORY, "sha": commit, "siblings": siblings})


def _tree(commit: str, path: str, request: Request) -> Answer:
    """Files under a folder; unless all are asked for, those in it alone, and its folders."""
    start = f"{path}/" if path else ""
    under = [name for name in FILES[commit] if name.startswith(start)]
    if request.query.get("recursive") == "true":
        return _json([_entry(commit, name) for name in under])
    direct = [name for name in under if "/" not in name.removeprefix(start)]
    folders = sorted(
        {name.removeprefix(start).split("/")[0] for name in under if name not in direct}
    )
    listed = [{"type": "directory", "path": start + name, "size": 0, "oid": ""} for name in folders]
    return _json([*listed, *(_entry(commit, name) for name in direct)])


def _paths_info(commit: str, path: str, request: Request) -> Answer:
    paths = parse_qs(request.body.decode()).get("paths", [])
    return _json([_entry(commit, name) for name in paths if name in FILES[commit]])


def _entry(commit: str, name: str) -> dict[str, object]:
    content = FILES[commit][name]
    return {"type": "file", "path": name, "size": len(content), "oid": _hash(content)}


def _hash(content: bytes) -> str:
    return hashlib.sha1(content).hexdigest()


def _json(content: object) -> Answer:
    return Answer(json.dumps(content).encode(), headers={"Content-Type": "application/json"})


def _missing(code: str, headers: dict[str, str] | None = None) -> Answer:
    return Answer(b"{}", status=404, headers={"X-Error-Code": code, **(headers or {})})


_ROUTES: dict[str, Callable[[str, str, Request], Answer]] = {
    f"/datasets/{REPOSITORY}/resolve/": _file,
    f"/api/datasets/{REPOSITORY}/revision/": _info,
    f"/api/datasets/{REPOSITORY}/tree/": _tree,
    f"/api/datasets/{REPOSITORY}/paths-info/": _paths_info,
}


def _parquet(**columns: list[object]) -> bytes:
    stream = io.BytesIO()
    pd.DataFrame(columns).to_parquet(stream)
    return stream.getvalue()


def _with_card(files: dict[str, bytes]) -> dict[str, bytes]:
    """And README.md, whose head says which file is which split of which subset."""
    subsets: dict[str, list[dict[str, str]]] = {}
    for path in files:
        subset, _, name = path.partition("/")
        subsets.setdefault(subset, []).append({"split": name.partition(".")[0], "path": path})
    configs = [{"config_name": name, "data_files": patterns} for name, patterns in subsets.items()]
    return {"README.md": f"---\n{yaml.safe_dump({'configs': configs})}---\n".encode(), **files}


def _files(first: str) -> dict[str, bytes]:
    return {
        "posts/train.parquet": _parquet(text=[first, "B", "C"], label=[0, 1, 0]),
        "posts/test.parquet": _parquet(text=["T"], label=[1]),
        "keyed/train.parquet": _parquet(
            key=["k9", "k7"], Tweet=["X", "Y"], domain=["d", "e"], id=[1, 2], label=[0, 1]
        ),
        "gaps/train.parquet": _parquet(text=["A", " ", "C"]),
        "torn/train.parquet": _parquet(text=["A", "B\0"]),
        "nameless/train.parquet": _parquet(id=["a", None], text=["A", "B"]),
        "twins/train.parquet": _parquet(id=["a", "b", "a"], text=["A", "B", "C"]),
    }


FILES = {OLD: _with_card(_files("A, old")), NEW: _with_card(_files("A, new"))}
