"""A tree beside the user's own, where the pipeline runs for one model.

The tree has copies of hand-written files (settings, texts, code) and a separate params.yaml.
Results of the model from the user's tree, or from a further tree of this kind, are taken over with
the entries of the dvc.lock files: DVC decides on validity. DVC's cache is shared, with the runs
saved by `embspace run`; the results of a fresh clone came from git and are not in the cache.
"""

import hashlib
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import get_ident
from typing import IO, Any

import yaml

from embspace.app.reporting.about import be_about
from embspace.app.repro.bookkeeping import collect_stages
from embspace.app.repro.durations import Durations
from embspace.app.repro.repository import open_repository, without_git
from embspace.app.repro.schedule import Needs
from embspace.app.repro.side_by_side import Step, run_side_by_side
from embspace.errors import InputError
from embspace.files.copies import copy_file, link_files, mirror_folder, write_changed
from embspace.settings.own import own_description
from embspace.settings.params import CONF, PAIR, PARAMS
from embspace.settings.pipeline import (
    LOCK,
    graph_files,
    hash_of_locks,
    read_locked,
    read_stages,
)
from embspace.settings.schema import read_yaml

COPIED_FOLDERS = ("conf", "data/published", "data/stimuli", "data/texts", "src")
COPIED_FILES = ("CITATION.cff", "models.lock", "requirements.lock", ".dvcignore")
TREES = Path(".cache/trees")
TEXTS = Path("data/texts")
DYNAMICS = Path("results/dynamics")
_HELD: dict[tuple[Path, int], int] = {}  # descriptors of the locks that a thread holds, by tree
# Keys of a description that name a file or folder.
PATH_KEYS = (
    *("path", "pages", "url", "reference", "lineages"),  # of corpora
    *("labels", "positional", "segment"),  # of vectors
)


@dataclass(frozen=True)
class OwnTexts:
    """Texts that are no corpus of conf/: `content` is that of a file with the ending `suffix`."""

    name: str
    label: str
    suffix: str
    content: bytes
    options: dict[str, Any] = field(default_factory=dict)
    """Further keys of a description in conf/corpus/ that say how the file is read."""
    place: str = field(default="", compare=False)
    """The file, as written by the user."""
    is_english: bool = field(default=True, compare=False)
    n_sentences: int | None = field(default=None, compare=False)
    """Number of sentences of words alone, as the search for opposite texts changes them."""
    unread_labels: tuple[str, ...] = field(default=(), compare=False)
    """Columns with a few values shared by texts, if no column is read as labels."""

    @property
    def description(self) -> dict[str, Any]:
        """Return what the file in conf/corpus/ of a tree says about the texts."""
        path = str(TEXTS / f"{self.name}{self.suffix}")
        said = {"source": "file", "path": path, "halves": True, **self.options}
        return own_description(self.label, said)

    @property
    def digest(self) -> str:
        """Return eight hexadecimal digits that tell files of the same name apart."""
        head = repr((self.suffix, sorted(self.options.items()))).encode()
        return hashlib.sha256(head + self.content).hexdigest()[:8]


@dataclass(frozen=True)
class WorkingTree:
    """The tree in `folder`, made from the user's tree in `root`. Both paths are absolute."""

    root: Path
    folder: Path

    @property
    def log(self) -> Path:
        """Return the file that keeps what the last run printed."""
        return self.folder / "repro.log"

    def update(
        self,
        model: str,
        corpora: list[str] | None,
        own: OwnTexts | None = None,
        described: dict[str, Any] | None = None,
        *,
        layers: bool = False,
        settings: Mapping[str, Any] | None = None,
        further: Sequence[OwnTexts] = (),
        beside: Mapping[str, dict[str, Any] | None] | None = None,
        twins: Mapping[str, dict[str, Any] | None] | None = None,
    ) -> None:
        """Bring copies and params.yaml up to date, and keep computed results.

        `own` is the only corpus if no `corpora` are named; without both, the corpora of params.yaml
        are read. `further` are more texts of the user's among `corpora`. `described` is the model's
        description if conf/model/ has no file. With `layers` the model is among `profiled`. If a
        settings file names texts that are not used here, the first used corpus takes their place.
        `settings` override files of conf/, by path below conf/. `beside` are the models with which
        the first is compared, each with its description if conf/model/ has no file; `twins`, in the
        same form, are computed like the first and not compared.

        Raises:
            InputError: if `root` is no tree of embspace, or a path in conf/ leads out of the tree.
        """
        params = read_yaml(self.root / PARAMS)
        named = corpora or ([own.name] if own else params.get("corpora"))
        described_models = {model: described, **(beside or {}), **(twins or {})}
        compared = {
            f"{model}{PAIR}{other}": {"model": model, "other_model": other}
            for other in beside or ()
        }
        with self.locked():
            self._copy_all()
            # A report is of one model; what the user trains besides is no part of it.
            content = {**params, "models": [*described_models], "corpora": named}
            content["compared"] = compared
            content |= dict.fromkeys(("profiled", "checkpointed", "trained", "run_pages"), [])
            if layers:
                content["profiled"] = [model]
                # Of runs that we train; DVC asks for the folder, if there are none, too.
                (self.folder / DYNAMICS).mkdir(parents=True, exist_ok=True)
            write_changed(self.folder / PARAMS, as_yaml(content))
            for texts in (own, *further):
                if texts:
                    add_texts(self.folder, texts)
            for name, said in described_models.items():
                if said:
                    write_changed(self.folder / CONF / "model" / f"{name}.yaml", as_yaml(said))
            for file, changed in (settings or {}).items():
                write_changed(self.folder / CONF / file, as_yaml(changed))
            self._link_named_paths(described_models, named)
            be_about(self.folder, named or [])
            self._share_cache()
            self._take_over(described_models, named)

    def _copy_all(self) -> None:
        for folder in COPIED_FOLDERS:
            mirror_folder(self.root / folder, self.folder / folder)
        for file in (*map(Path, COPIED_FILES), *graph_files(self.root)):
            if (self.root / file).is_file():
                copy_file(self.root / file, self.folder / file)

    def stages(self, *targets: str) -> set[str]:
        """Return the stages at these addresses, with items, and all stages needed before."""
        return {stage.name for stage in collect_stages(self.folder, targets)}

    def outputs(self, *targets: str) -> list[Path]:
        """Return the files and folders, relative to the tree, that these stages write."""
        stages = collect_stages(self.folder, targets)
        outs = {Path(out.fs_path) for stage in stages for out in stage.outs}
        return sorted(out.relative_to(self.folder) for out in outs)

    def reproduce(
        self,
        *targets: str,
        jobs: int | None = None,
        durations: Durations | None = None,
        ranks: Mapping[str, int] | None = None,
        announce: Callable[[Needs], None] | None = None,
        is_more: bool = False,
    ) -> Iterator[Step]:
        """Run the outdated targets, and yield every step.

        What stages print goes to `log`, after what is there if the run `is_more` of another; times
        are by default those of the user's tree. `ranks` and `announce` are as for
        `run_side_by_side`.

        Raises:
            InputError: with the message of a stage that failed.
        """
        with self.locked(), self.log.open("a" if is_more else "w", encoding="utf-8") as log:

            def show(stage: str, line: str) -> None:
                print(f"{stage}: {line}", file=log, flush=True)

            yield from run_side_by_side(
                self.folder,
                targets,
                show,
                jobs=jobs,
                durations=durations or Durations(self.root),
                ranks=ranks,
                announce=announce,
            )

    @contextmanager
    def locked(self) -> Iterator[int]:
        """Keep other runs out of the tree, after waiting for one, and yield the lock's descriptor.

        Raises:
            InputError: if the tree cannot be written.
        """
        import fcntl  # what asks no stage works where there is none

        key = (self.folder, get_ident())
        if key in _HELD:  # by who calls: a lock within a lock is the same one
            yield _HELD[key]
            return
        with self._lock_file() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                logging.getLogger(__name__).warning(
                    "%s: another run is at work there, this one waits for it", self.folder
                )
                fcntl.flock(file, fcntl.LOCK_EX)
            _HELD[key] = file.fileno()
            try:
                yield file.fileno()
            finally:
                del _HELD[key]

    def _lock_file(self) -> IO[str]:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            return (self.folder / "lock").open("w")
        except OSError as error:
            raise InputError(
                f"{self.folder}: cannot be written: {error.strerror}; what is asked for is "
                f"computed there, so {self.root} must be a tree that you may write to, as a clone "
                "of your own"
            ) from None

    def _take_over(self, models: Iterable[str], corpora: Any) -> None:
        """Take results of the models that were computed elsewhere, unless this was done before."""
        # All are looked for first: to a tree with locks of its own, none but the user's gives.
        elsewhere = {model: self._elsewhere(model) for model in models}
        for model, (source, locks) in elsewhere.items():
            taken = self.folder / f"taken-{model}"
            mark = f"{source} {hash_of_locks(source)}".encode()
            if (source == self.folder) or (taken.is_file() and taken.read_bytes() == mark):
                continue
            for lock, stages in locks.items():
                self._take_stages(source, lock, stages, model, corpora)
            write_changed(taken, mark)

    def _take_stages(
        self, source: Path, lock: Path, stages: dict[str, Any], model: str, corpora: Any
    ) -> None:
        """Take the results of the model or of no model, by one dvc.lock of another tree."""
        known = read_locked(self.folder / lock)
        wanted = self._asked_for()
        for stage, entry in stages.items():
            name, _, item = stage.partition("@")
            is_ours = item in ("", model, *corpora) or item.startswith(f"{model}-")
            if name in wanted and is_ours:
                known[stage] = entry
                for out in entry.get("outs", ()):
                    link_files(source / out["path"], self.folder / out["path"])
        write_changed(self.folder / lock, as_yaml({"schema": "2.0", "stages": known}))

    def _asked_for(self) -> set[str]:
        """Return the names of the stages, without stages over an empty list of params.yaml."""
        params = read_yaml(self.folder / PARAMS)
        empty = {f"${{{key}}}" for key, value in params.items() if value in ([], {})}
        return {
            name
            for name, stage in read_stages(self.folder).items()
            if empty.isdisjoint(map(str, stage.entry.get("matrix", {}).values()))
        }

    def _elsewhere(self, model: str) -> tuple[Path, dict[Path, dict[str, Any]]]:
        """Return a tree with computed results of the model, and the entries of the tree's locks.

        The user's tree first; a further tree only at the start; this tree if nothing can be taken.
        """
        others = [] if (self.folder / LOCK).is_file() else (self.root / TREES).glob(f"{model}*")
        newest_first = sorted(others, key=lambda folder: folder.stat().st_mtime, reverse=True)
        for source in (self.root, *newest_first):
            if f"extract_embeddings@{model}" in read_locked(source / LOCK):
                locks = graph_files(source, LOCK)
                return source, {lock: read_locked(source / lock) for lock in locks}
        return self.folder, {}

    def _share_cache(self) -> None:
        path, mark = self.folder / ".dvc/config", f"# The cache is that of {self.root}\n"
        if not (path.is_file() and path.read_text(encoding="utf-8").startswith(mark)):
            cache = open_repository(self.root).cache.local
            # Of the cache as a whole; DVC puts files/md5 and runs below it.
            place = Path(cache.path).parents[1]
            text = without_git(place, cache.cache_types, self.folder)
            write_changed(path, mark.encode() + text.encode())

    def _link_named_paths(self, models: Iterable[str], corpora: Any) -> None:
        """Make relative paths that conf/ names lead to the same file from here."""
        descriptions = [f"model/{model}.yaml" for model in models]
        descriptions += [f"corpus/{corpus}.yaml" for corpus in corpora]
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


def add_texts(folder: Path, own: OwnTexts) -> None:
    """Write texts into a tree, with a description in conf/corpus/."""
    write_changed(folder / own.description["path"], own.content)
    description = folder / CONF / "corpus" / f"{own.name}.yaml"
    write_changed(description, as_yaml(own.description))


def _named_paths(conf: Path, descriptions: list[str]) -> Iterator[Path]:
    """Yield the relative paths in the descriptions, and in the description of the stimuli."""
    for file in descriptions:
        content = read_yaml(conf / file)
        tokenizer = content.get("tokenizer")
        for keys in (content, tokenizer if isinstance(tokenizer, dict) else {}):
            yield from _relative(keys.get(key) for key in PATH_KEYS)
    stimuli = read_yaml(conf / "prepare/stimuli.yaml")
    yield from _relative([*stimuli.values(), *stimuli["words"].values()])


def _relative(values: Any) -> Iterator[Path]:
    for value in values:
        if isinstance(value, str) and "://" not in value and not value.startswith(("~", "/")):
            yield Path(value)


def as_yaml(content: Mapping[str, Any]) -> bytes:
    """Return the content of a YAML file, in the order of the keys."""
    return yaml.safe_dump(dict(content), allow_unicode=True, sort_keys=False).encode()
