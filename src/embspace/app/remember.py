"""Saves runs whose tables are in git into DVC's run cache, so that going back costs nothing.

DVC takes a run that it had before from its run cache, but saves none there that has an output with
`cache: false`, metrics and plots aside. Tables are neither: `dvc metrics show` reads no CSV file,
and `dvc plots show` would draw each of them. So they are saved from here, by DVC's own means.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import chdir, suppress
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from embspace.files.copies import write_changed
from embspace.settings.pipeline import GRAPH, LOCK, graph_files, read_locked

REMEMBERED = Path(".cache/remembered")


def remember_runs(root: Path) -> int:
    """Save the runs that are new in the dvc.lock files of a tree, and return how many they are.

    Only these are looked at: to hash the outputs of all stages takes as long as some stages run.
    While another command of DVC is at work in the tree, 0 comes back, and the next call saves them.
    """
    mark = root / REMEMBERED
    known = _read(mark)
    hashes = _hashes(root, known)
    new = [run for run in hashes if ":" in run and known.get(run) != hashes[run]]
    if not new:
        return 0
    from dvc.lock import LockError
    from dvc.repo import Repo

    repo = Repo(str(root))
    try:
        with repo.lock, chdir(root):  # there DVC looks for the stage of a run
            forgotten = [stage for stage in _stages(repo, new) if _is_forgotten(stage)]
            for stage in forgotten:
                repo.stage_cache.save(stage)
    except LockError:
        return 0
    mark.parent.mkdir(parents=True, exist_ok=True)
    write_changed(mark, json.dumps(hashes, indent=0).encode())
    return len(forgotten)


def _hashes(root: Path, known: Mapping[str, str]) -> dict[str, str]:
    """Return the hash of each dvc.lock by its path, and of each run in it by the stage's address.

    Those of the runs are taken from `known` if the file is the same: a long one is parsed slowly.
    """
    hashes = {}
    for lock in graph_files(root, LOCK):
        graph = lock.with_name(GRAPH).as_posix()
        hashes[lock.as_posix()] = whole = hashlib.sha256((root / lock).read_bytes()).hexdigest()
        if known.get(lock.as_posix()) == whole:
            hashes |= {run: known[run] for run in known if run.partition(":")[0] == graph}
        else:
            runs = read_locked(root / lock).items()
            hashes |= {f"{graph}:{name}": _hash(run) for name, run in runs}
    return hashes


def _hash(run: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(run, sort_keys=True).encode()).hexdigest()


def _read(mark: Path) -> dict[str, str]:
    """Return the hashes that the last call left; none if they cannot be read."""
    with suppress(FileNotFoundError, ValueError, TypeError):
        return dict(json.loads(mark.read_bytes()))
    return {}


def _stages(repo: Any, runs: Iterable[str]) -> Iterator[Any]:
    """Yield DVC's stages of these addresses that are in the graph; only their files are read."""
    from dvc.dvcfile import load_file

    for graph, named in groupby(sorted(run.split(":") for run in runs), itemgetter(0)):
        stages = load_file(repo, graph).stages
        yield from (stages[name] for _, name in named if name in stages)


def _is_forgotten(stage: Any) -> bool:
    """Return whether DVC saves no run of the stage, though its outputs are those of dvc.lock."""
    plain = (out for out in stage.outs if not (out.is_metric or out.is_plot))
    if all(out.use_cache for out in plain) or stage.cmd_changed:
        return False
    known = all(each.hash_info for each in (*stage.deps, *stage.outs))
    there = all(each.exists for each in (*stage.deps, *stage.outs) if each.def_path)
    return known and there and not any(out.changed_checksum() for out in stage.outs)
