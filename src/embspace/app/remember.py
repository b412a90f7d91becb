"""Saves runs whose tables are in git into DVC's run cache, so that going back costs nothing.

DVC takes a run that it had before from its run cache, but saves none there that has an output with
`cache: false`, metrics and plots aside. Tables are neither: `dvc metrics show` reads no CSV file,
and `dvc plots show` would draw each of them. So they are saved from here, by DVC's own means.
"""

import hashlib
import json
from contextlib import chdir, suppress
from pathlib import Path
from typing import Any

from embspace.files.copies import write_changed
from embspace.settings.pipeline import LOCK, graph_files, read_locked

REMEMBERED = Path(".cache/remembered")


def remember_runs(root: Path) -> int:
    """Save the runs that are new in the dvc.lock files of a tree, and return how many they are.

    Only these are looked at: to hash the outputs of all stages takes as long as some stages run.
    While another command of DVC is at work in the tree, 0 comes back, and the next call saves them.
    """
    mark, runs = root / REMEMBERED, _hashes_of_runs(root)
    known = _read(mark)
    new = {run for run, content in runs.items() if known.get(run) != content}
    if not new:
        return 0
    from dvc.lock import LockError
    from dvc.repo import Repo

    repo = Repo(str(root))
    try:
        with repo.lock, chdir(root):  # there DVC looks for the stage of a run
            candidates = (stage for stage in repo.index.stages if _address(stage) in new)
            forgotten = [stage for stage in candidates if _is_forgotten(stage)]
            for stage in forgotten:
                repo.stage_cache.save(stage)
    except LockError:
        return 0
    mark.parent.mkdir(parents=True, exist_ok=True)
    write_changed(mark, json.dumps(runs, indent=0).encode())
    return len(forgotten)


def _hashes_of_runs(root: Path) -> dict[str, str]:
    """Return a hash of what dvc.lock tells of each stage's last run, by the stage's address."""
    return {
        f"{lock.with_name('dvc.yaml').as_posix()}:{name}": _hash(run)
        for lock in graph_files(root, LOCK)
        for name, run in read_locked(root / lock).items()
    }


def _hash(run: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(run, sort_keys=True).encode()).hexdigest()


def _read(mark: Path) -> dict[str, str]:
    """Return the hashes of the runs that were saved the last time; none if they cannot be read."""
    with suppress(FileNotFoundError, ValueError, TypeError):
        return dict(json.loads(mark.read_bytes()))
    return {}


def _address(stage: Any) -> str:
    return f"{stage.path_in_repo}:{stage.name}"


def _is_forgotten(stage: Any) -> bool:
    """Return whether DVC saves no run of the stage, though its outputs are those of dvc.lock."""
    plain = (out for out in stage.outs if not (out.is_metric or out.is_plot))
    if all(out.use_cache for out in plain) or stage.cmd_changed:
        return False
    known = all(each.hash_info for each in (*stage.deps, *stage.outs))
    there = all(each.exists for each in (*stage.deps, *stage.outs) if each.def_path)
    return known and there and not any(out.changed_checksum() for out in stage.outs)
