"""The pipeline of a small random BERT in a copy of the project, and the way back to it."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from embspace.app.warm.python import warm_python
from tests.tiny import write_tiny_model
from tests.whole_pipeline import POSITIONS
from tests.workspace import RUNNING, Workspace


def tiny_pipeline(root: Path, folder: Path, *targets: str) -> Workspace:
    """Return a tree whose only model is `tiny`, up to date in its targets; without, in all."""
    tree = Workspace(root, folder)
    write_tiny_model(tree.folder / "models/tiny", tree.folder / "conf", "tiny", 0, POSITIONS)
    tree.edit("conf/model/tiny.yaml", path="models/tiny")
    tree.edit("params.yaml", models=["tiny"], corpora=["model_card"])
    tree.shorten()
    with warm_python(tree.environment()) as given:
        # One process each: those that share the figures of a chapter would import all again.
        tree.variables |= {"PATH": given["PATH"], "LOKY_MAX_CPU_COUNT": "1"}
        tree.repro(*targets)
    tree.variables.clear()  # the tests have the user's `python`
    tree.commit()
    shutil.copytree(tree.folder, _copy_of(tree), symlinks=True)
    return tree


@contextmanager
def restored(tree: Workspace) -> Iterator[None]:
    """Undo what a test changes: to copy the tree takes a tenth of what `dvc repro` does."""
    yield
    shutil.rmtree(tree.folder, ignore_errors=True)  # a queue of DVC may still write its log
    shutil.copytree(_copy_of(tree), tree.folder, symlinks=True, dirs_exist_ok=True)


def _copy_of(tree: Workspace) -> Path:
    """Return where the tree is kept as it was made, with what DVC and git know of it."""
    return tree.folder.with_name(f"{tree.folder.name}_copy")


def start_and_kill(tree: Workspace, last: str, *targets: str) -> set[str]:
    """Run the pipeline until stage `last` computes, then kill it; the stages that ran."""
    process = subprocess.Popen(
        ["dvc", "repro", "--no-run-cache", *targets],
        cwd=tree.folder,
        env=tree.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert process.stdout
    started: set[str] = set()
    for line in process.stdout:
        started |= set(RUNNING.findall(line))
        if last in started and line.startswith("> "):  # the command follows the name
            break
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return started
