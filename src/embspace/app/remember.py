"""Saves runs whose tables are in git into DVC's run cache, so that going back costs nothing.

DVC takes a run that it had before from its run cache, but saves none there that has an output with
`cache: false`, metrics and plots aside. Tables are neither: `dvc metrics show` reads no CSV file,
and `dvc plots show` would draw each of them. So they are saved from here, by DVC's own means.
"""

from contextlib import chdir
from pathlib import Path
from typing import Any

from embspace.files.copies import write_changed
from embspace.settings.pipeline import LOCK, graph_files, hash_of_locks

REMEMBERED = Path(".cache/remembered")


def remember_runs(root: Path) -> int:
    """Save the runs that the dvc.lock files of a tree tell of, and return how many they are.

    If the files say what they said the last time, none is looked at, and 0 comes back; so it does
    while another command of DVC is at work in the tree, for the next run saves them, too.
    """
    locks, mark = hash_of_locks(root).encode(), root / REMEMBERED
    if not graph_files(root, LOCK):
        return 0  # nothing has run yet
    if mark.is_file() and mark.read_bytes() == locks:
        return 0
    from dvc.lock import LockError
    from dvc.repo import Repo

    repo = Repo(str(root))
    try:
        with repo.lock, chdir(root):  # there DVC looks for the stage of a run
            runs = [stage for stage in repo.index.stages if _is_forgotten(stage)]
            for stage in runs:
                repo.stage_cache.save(stage)
    except LockError:
        return 0
    mark.parent.mkdir(parents=True, exist_ok=True)
    write_changed(mark, locks)
    return len(runs)


def _is_forgotten(stage: Any) -> bool:
    """Return whether DVC saves no run of the stage, though its outputs are those of dvc.lock."""
    plain = (out for out in stage.outs if not (out.is_metric or out.is_plot))
    if all(out.use_cache for out in plain) or stage.cmd_changed:
        return False
    known = all(each.hash_info for each in (*stage.deps, *stage.outs))
    there = all(each.exists for each in (*stage.deps, *stage.outs) if each.def_path)
    return known and there and not any(out.changed_checksum() for out in stage.outs)
