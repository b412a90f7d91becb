"""Asks DVC for the outdated stages of a tree, and records finished stages in cache and locks.

A single process keeps the books while the commands of several stages run. A later `dvc repro` finds
the tree as if `dvc repro` had run all stages in sequence.
"""

import json
import logging
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager, suppress
from itertools import groupby
from pathlib import Path
from typing import Any

from embspace.app.repro.repository import open_repository
from embspace.errors import InputError
from embspace.files.atomic import writing
from embspace.settings.pipeline import GRAPH, LOCK


def collect_stages(folder: Path, targets: Sequence[str]) -> list[Any]:
    """Return the targets among DVC's stages of a tree, with items, and all stages needed before.

    Without a target, return all stages, as for `dvc repro`.
    """
    return _collect(open_repository(folder), folder, targets)


def _collect(repo: Any, folder: Path, targets: Sequence[str]) -> list[Any]:
    if not targets:
        return list(repo.index.stages)
    named = (target if ":" in target else f"{GRAPH}:{target}" for target in targets)
    lists = (repo.stage.collect(str(folder.absolute() / name), with_deps=True) for name in named)
    return list(dict.fromkeys(stage for stages in lists for stage in stages))


class Bookkeeper:
    """Keeps the books of a tree's stages, with DVC's own means, while it holds DVC's lock."""

    def __init__(self, repo: Any, stages: list[Any]) -> None:
        """Take the stages to run, from a DVC repository that is locked."""
        self._repo = repo
        self._stages = {stage.name: stage for stage in stages}
        self._unwritten = list[Any]()
        graph = repo.index.graph
        self.needs = {
            stage.name: {need.name for need in graph.successors(stage)} & self._stages.keys()
            for stage in stages
        }

    def is_current(self, name: str) -> bool:
        """Return whether command, inputs, settings and outputs agree with the lock.

        Raises:
            InputError: if DVC cannot tell, as while another command of DVC runs the stage.
        """
        with _explained(name):
            return not self._stages[name].changed()

    def begin(self, name: str, *, restore: bool) -> bool:
        """Remove what an earlier run has made; return whether outputs come from the cache.

        They do if `restore` is true and the stage ran before with the same inputs and settings.

        Raises:
            InputError: if a file cannot be removed or restored.
        """
        from dvc.stage.cache import RunCacheNotFoundError

        stage = self._stages[name]
        with _explained(name):
            stage.remove_outs(ignore_remove=False, force=False)
            if restore:
                # DVC looks for the stage of a run in the current folder.
                with suppress(RunCacheNotFoundError), chdir(self._repo.root_dir):
                    self._repo.stage_cache.restore(stage)
                    return True
        return False

    def command(self, name: str) -> tuple[list[str], Path]:
        """Return a stage's command, for the user's shell as in DVC, and the working folder."""
        from dvc.stage.run import _make_cmd, get_executable

        stage = self._stages[name]
        return list(_make_cmd(get_executable(), stage.cmd)), Path(stage.wdir)

    def variables(self, name: str) -> dict[str, str]:
        """Return DVC's variables for the command of a stage."""
        return {"DVC_ROOT": self._repo.root_dir, "DVC_STAGE": self._stages[name].addressing}

    def finish(self, name: str) -> None:
        """Put the outputs of a stage into DVC's cache, and the run into the run cache.

        DVC leaves stages with a `cache: false` output, metrics and plots aside, out of the run
        cache; tables have `cache: false`.

        Raises:
            InputError: if an output is missing or cannot be kept.
        """
        stage = self._stages[name]
        with _explained(name):
            stage.save(run_cache=False)
            stage.commit()
            with chdir(self._repo.root_dir):
                self._repo.stage_cache.save(stage)
        self._unwritten.append(stage)

    def write_locks(self) -> list[str]:
        """Write the locks of the stages finished since the last call; return the names.

        A lock is written once, whole or not at all, with all new entries.

        Raises:
            InputError: if a lock cannot be written.
        """
        by_graph = sorted(self._unwritten, key=lambda stage: stage.path)
        for graph, stages in groupby(by_graph, key=lambda stage: stage.path):
            _write_lock(Path(graph).with_name(LOCK), [*stages])
        names, self._unwritten = [stage.name for stage in self._unwritten], []
        return names


@contextmanager
def _explained(name: str) -> Iterator[None]:
    """Put the name of a stage before a message of DVC or the system, as an `InputError`."""
    from dvc.exceptions import DvcException

    try:
        yield
    except (DvcException, OSError) as error:
        raise InputError(f"{name}: {error}") from error


def _mend_lock_of_files(file: Path) -> None:
    """Remove DVC's list of files in use if a run that was ended has left only half of it.

    DVC writes the list in place, and refuses all later runs if the list is no JSON.
    """
    try:
        json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return
    except ValueError:
        file.unlink(missing_ok=True)


def _write_lock(lock: Path, stages: list[Any]) -> None:
    """Write the entries of stages into a lock, as DVC does, but whole or not at all."""
    from dvc.stage.serialize import to_lockfile
    from dvc.utils.serialize import dumps_yaml, parse_yaml_for_update

    text = lock.read_text(encoding="utf-8") if lock.is_file() else "schema: '2.0'"
    content: Any = parse_yaml_for_update(text, str(lock))
    for stage in stages:
        content.setdefault("stages", {}).update(to_lockfile(stage))
    try:
        with writing(lock) as partial:
            partial.write_text(dumps_yaml(content), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{lock}: cannot be written: {error.strerror}") from error


@contextmanager
def open_books(folder: Path, targets: Sequence[str]) -> Iterator[Bookkeeper]:
    """Open the books of the targets and all needed stages, with no further DVC at work.

    Raises:
        InputError: if the graph is invalid, or a further command of DVC is at work for long.
    """
    from dvc.exceptions import DvcException
    from dvc.lock import LockError

    logging.getLogger("dvc").setLevel(logging.ERROR)  # what it does is told from here
    try:
        repo = open_repository(folder)
        repo.lock.lock()
    except LockError:
        raise InputError(
            f"{folder.absolute()}: another command of DVC is at work there; wait for its end"
        ) from None
    except DvcException as error:
        raise InputError(f"{folder.absolute()}: {error}") from error
    try:
        _mend_lock_of_files(Path(repo.tmp_dir) / "rwlock")
        with _explained(str(folder.absolute())):
            books = Bookkeeper(repo, _collect(repo, folder, targets))
        yield books
    finally:
        repo.lock.unlock()
        repo.close()
