"""A tree beside the user's own, in which the pipeline runs for one model.

It has copies of what people write (settings, texts, code) and a params.yaml of its own. What the
user's tree, or another one of this kind, has computed of the model is taken over with its
entries of dvc.lock, so that DVC decides what of it still holds. DVC's own cache is shared; alone
it is not enough, for DVC remembers no run whose results are left to git.
"""

import fcntl
import hashlib
import logging
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from filecmp import cmp
from pathlib import Path
from typing import Any

import yaml

from embspace.config import CONF, PARAMS, read_yaml
from embspace.errors import InputError

COPIED_FOLDERS = ("conf", "data/published", "data/stimuli", "data/texts", "src")
COPIED_FILES = ("dvc.yaml", "models.lock", ".dvcignore")
TREES = Path(".cache/trees")
TEXTS = Path("data/texts")
# Keys of a description that name a file or folder; the last three are of vectors.
PATH_KEYS = ("path", "pages", "url", "labels", "positional", "segment")
LOCK = "dvc.lock"
# How `dvc repro` says that it has come to a stage.
RUNNING = re.compile(r"Running stage '([^']+)'")
KNOWN = re.compile(r"Stage '([^']+)' (?:is cached|didn't change)")
# One kind of kernel, as in the Makefile: each kind rounds in its own way.
KERNELS = {"OPENBLAS_CORETYPE": "Haswell"}
COMPILED = "__pycache__/*.nb[ci]"  # what numba made of loops, which takes it half a minute
TAIL = 20  # lines of a stage that failed without saying why


@dataclass(frozen=True)
class OwnTexts:
    """Texts that are no corpus of conf/: `content` is that of a file with the ending `suffix`."""

    name: str
    label: str
    suffix: str
    content: bytes


@dataclass(frozen=True)
class Step:
    """A stage that `dvc repro` has come to, and whether it has to be run."""

    stage: str
    runs: bool


@dataclass(frozen=True)
class WorkingTree:
    """The tree in `folder`, made from the user's tree in `root`. Both paths are absolute."""

    root: Path
    folder: Path

    @property
    def log(self) -> Path:
        """What the last run printed."""
        return self.folder / "repro.log"

    def update(self, model: str, corpora: list[str] | None, own: OwnTexts | None = None) -> None:
        """Bring copies and params.yaml up to date; what was computed stays.

        `own` is the one corpus if it is given; without it and `corpora`, those of params.yaml.

        Raises:
            InputError: if `root` is no tree of embspace, or a path in conf/ leads out of it.
        """
        params = read_yaml(self.root / PARAMS)
        named = [own.name] if own else corpora or params.get("corpora")
        with self.locked():
            self._copy_all()
            content = {**params, "models": [model], "corpora": named}
            _write(self.folder / PARAMS, _as_yaml(content))
            if own:
                self._add(own)
            self._link_named_paths(model, named)
            self._share_cache()
            self._take_over(model, named)

    def _copy_all(self) -> None:
        for each in COPIED_FOLDERS:
            _mirror(self.root / each, self.folder / each)
        for each in COPIED_FILES:
            if (self.root / each).is_file():
                _copy(self.root / each, self.folder / each)

    def stages(self, target: str) -> set[str]:
        """The stage `target` and all that it needs."""
        from dvc.repo import Repo

        stages = Repo(str(self.folder)).stage.collect(
            f"{self.folder / 'dvc.yaml'}:{target}", with_deps=True
        )
        return {stage.name for stage in stages}

    def reproduce(self, *targets: str) -> Iterator[Step]:
        """Run `dvc repro` for the targets; a step for each stage as it comes to it.

        Raises:
            InputError: with what a failed stage said.
        """
        command = [sys.executable, "-m", "dvc", "repro", *targets]
        with (
            self.locked() as lock,
            self.log.open("w", encoding="utf-8") as log,
            # DVC holds the lock too, in case that this process is killed and DVC goes on.
            subprocess.Popen(
                command,
                cwd=self.folder,
                env=_environment(),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                encoding="utf-8",
                errors="replace",
                pass_fds=[lock],
                start_new_session=True,  # so that its stages end with it
            ) as process,
        ):
            try:
                yield from _steps(process, log)
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGTERM)
        if process.returncode:
            raise InputError(_complaint(self.log))

    @contextmanager
    def locked(self) -> Iterator[int]:
        """Let no other run into the tree, and wait for one; the descriptor of the lock's file."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "lock").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                logging.getLogger(__name__).warning(
                    "%s: another run is at work there, this one waits for it", self.folder
                )
                fcntl.flock(file, fcntl.LOCK_EX)
            yield file.fileno()

    def _add(self, own: OwnTexts) -> None:
        path = TEXTS / f"{own.name}{own.suffix}"
        description = {
            "label": own.label,
            "licence": "unknown",
            "language": "unknown",
            "source": "file",
            "path": str(path),
            "halves": True,
        }
        _write(self.folder / path, own.content)
        _write(self.folder / CONF / "corpus" / f"{own.name}.yaml", _as_yaml(description))

    def _take_over(self, model: str, corpora: Any) -> None:
        """Take what was computed of the model elsewhere, unless that was done before."""
        source, found = self._elsewhere(model)
        taken, mark = self.folder / "taken", f"{source} {_digest(source / LOCK)}".encode()
        if (source == self.folder) or (taken.is_file() and taken.read_bytes() == mark):
            return
        items = ("", model, *corpora)
        stages = _locked_stages(self.folder / LOCK)
        for stage, entry in found.items():
            item = stage.partition("@")[2]
            if item in items or item.startswith(f"{model}-"):
                stages[stage] = entry
                for out in entry.get("outs", ()):
                    _link(source / out["path"], self.folder / out["path"])
        _write(self.folder / LOCK, _as_yaml({"schema": "2.0", "stages": stages}))
        _write(taken, mark)

    def _elsewhere(self, model: str) -> tuple[Path, dict[str, Any]]:
        """The tree that has computed something of the model, and what its dvc.lock says.

        The user's first; another one only for a start; this one if there is nothing to take.
        """
        others = [] if (self.folder / LOCK).is_file() else (self.root / TREES).glob(f"{model}*")
        for source in (self.root, *_newest_first(others)):
            stages = _locked_stages(source / LOCK)
            if f"extract_embeddings@{model}" in stages:
                return source, stages
        return self.folder, {}

    def _share_cache(self) -> None:
        path, mark = self.folder / ".dvc/config", f"# The cache is that of {self.root}\n"
        if not (path.is_file() and path.read_text(encoding="utf-8").startswith(mark)):
            _write(path, mark.encode() + _dvc_config(self.root))

    def _link_named_paths(self, model: str, corpora: Any) -> None:
        """Make relative paths that conf/ names lead to the same file from here."""
        descriptions = [f"model/{model}.yaml", *(f"corpus/{corpus}.yaml" for corpus in corpora)]
        for path in _named_paths(self.folder / CONF, descriptions):
            link = self.folder / path
            if ".." in path.parts:
                raise InputError(
                    f"{path}: leads out of {self.root}; in conf/, write it as an absolute path"
                )
            if not link.exists() and (self.root / path).exists():
                link.parent.mkdir(parents=True, exist_ok=True)
                link.unlink(missing_ok=True)  # one that leads nowhere any more
                link.symlink_to(self.root / path)


def find_root() -> Path:
    """The tree that the current folder lies in, or else the one that embspace is installed from.

    Raises:
        InputError: if there is neither.
    """
    here = Path.cwd()
    for folder in (here, *here.parents, *Path(__file__).resolve().parents):
        if all((folder / each).exists() for each in ("dvc.yaml", PARAMS, CONF / "model")):
            return folder
    raise InputError(f"{here}: is not in an embspace tree, with conf/, dvc.yaml and params.yaml")


def _named_paths(conf: Path, descriptions: list[str]) -> Iterator[Path]:
    """Relative paths of files and folders in the descriptions, and in that of the stimuli."""
    for file in descriptions:
        content = read_yaml(conf / file)
        tokenizer = content.get("tokenizer")
        for each in (content, tokenizer if isinstance(tokenizer, dict) else {}):
            yield from _relative(each.get(key) for key in PATH_KEYS)
    yield from _relative(read_yaml(conf / "prepare/stimuli.yaml").values())


def _relative(values: Any) -> Iterator[Path]:
    for value in values:
        if isinstance(value, str) and "://" not in value and not value.startswith(("~", "/")):
            yield Path(value)


def _newest_first(folders: Iterable[Path]) -> list[Path]:
    return sorted(folders, key=lambda folder: folder.stat().st_mtime, reverse=True)


def _locked_stages(lock: Path) -> dict[str, Any]:
    return read_yaml(lock).get("stages", {}) if lock.is_file() else {}


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else ""


def _link(source: Path, target: Path) -> None:
    """The same file in both trees; no stage writes into a file, it puts another in its place."""
    if not source.is_file():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    try:
        target.hardlink_to(source)
    except OSError:  # on another disk
        shutil.copyfile(source, target)


def _mirror(source: Path, target: Path) -> None:
    """Make `target` hold the files of `source` and no others, touching only what differs."""
    wanted = {path.relative_to(source) for path in _files(source)}
    for path in _files(target):
        if path.relative_to(target) not in wanted:
            path.unlink()
    for path in wanted:
        _copy(source / path, target / path)
    for path in source.rglob(COMPILED):
        copy = target / path.relative_to(source)
        if not copy.is_file() or copy.stat().st_mtime < path.stat().st_mtime:
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copy)


def _files(folder: Path) -> list[Path]:
    found = (path for path in folder.rglob("*") if path.is_file() or path.is_symlink())
    return sorted(path for path in found if "__pycache__" not in path.parts)


def _copy(source: Path, target: Path) -> None:
    if not (target.is_file() and cmp(source, target, shallow=False)):
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)  # with its time, which numba looks at


def _write(target: Path, content: bytes) -> None:
    if not (target.is_file() and target.read_bytes() == content):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def _as_yaml(content: dict[str, Any]) -> bytes:
    return yaml.safe_dump(content, allow_unicode=True, sort_keys=False).encode()


def _dvc_config(root: Path) -> bytes:
    """The cache of the user's tree, wherever they keep it, and no git."""
    from dvc.repo import Repo

    cache = Repo(str(root)).cache.local
    return (
        "[core]\n    analytics = false\n    check_update = false\n    no_scm = true\n"
        # Of the cache as a whole; DVC puts files/md5 and runs below it.
        f"[cache]\n    dir = {Path(cache.path).parents[1]}\n"
        f'    type = "{",".join(cache.cache_types)}"\n'
    ).encode()


def _environment() -> dict[str, str]:
    """The user's, with this interpreter first, and the kernels with which `make` computes."""
    environment = dict(os.environ)
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment.get('PATH', '')}"
    if platform.machine() in ("x86_64", "AMD64"):
        environment = {**KERNELS, **environment}
    if not environment.get("HF_HUB_OFFLINE"):
        environment.pop("HF_HUB_OFFLINE", None)  # only a fetch goes to the hub, see cli.py
    return environment


def _steps(process: "subprocess.Popen[str]", log: Any) -> Iterator[Step]:
    assert process.stdout is not None  # it is a pipe
    for line in process.stdout:
        log.write(line)
        log.flush()
        for pattern, runs in ((RUNNING, True), (KNOWN, False)):
            if found := pattern.match(line):
                yield Step(found[1], runs)


def _complaint(log: Path) -> str:
    """What the stage that failed said, or the end of what was printed."""
    lines = log.read_text(encoding="utf-8").splitlines()
    marks = [number for number, line in enumerate(lines) if line.startswith("error: ")]
    if not marks:
        return "\n".join(["the pipeline failed:", *lines[-TAIL:], f"all that it said: {log}"])
    said = lines[marks[-1] :]
    end = next((n for n, line in enumerate(said) if line.startswith("ERROR: ")), len(said))
    return "\n".join(said[:end]).removeprefix("error: ").strip()
