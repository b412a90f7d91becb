"""Runs the stages of an analysis or a chapter by its short name."""

import re
import subprocess
import sys
from pathlib import Path

from embspace.app.repro import environment
from embspace.errors import InputError, not_among
from embspace.settings.params import read_params
from embspace.settings.pipeline import Stage, find_stages

LIST = re.compile(r"\$\{(models|corpora|profiled|checkpointed|trained)\}")


def run_stages(name: str, model: str | None) -> int:
    """Run `dvc repro` for the stages of a name and what they need; return its exit code.

    Args:
        name: A stage, a noun or a chapter: `measure_helix`, `helix` or `positional`.
        model: One of params.yaml, or None for all of them; also one of its runs.

    Raises:
        InputError: if nothing is called so, or the model is not in params.yaml.
    """
    read_params()
    command = [sys.executable, "-m", "dvc", "repro", *addresses_of(Path(), name, model)]
    return subprocess.run(command, env=environment(), check=False).returncode


def addresses_of(root: Path, name: str, model: str | None) -> list[str]:
    """Return what `dvc repro` takes for the stages of a name."""
    stages = find_stages(root, name)
    if model is None:
        return _of_all(stages, name)
    parts = [part for each in stages for part in each.by_family() if len(_lists(part)) == 1]
    known = {item for part in parts for item in _items(part)}
    if model not in known:
        raise InputError(f"--model: {not_among(model, sorted(known))}; params.yaml names them")
    return [part.address(model) for part in parts if model in _items(part)]


def _of_all(stages: list[Stage], name: str) -> list[str]:
    """The stages with an item at least: DVC takes one without any for the whole pipeline."""
    addresses = []
    for stage in stages:
        if stage.family:
            addresses += [part.address(item) for part in stage.by_family() for item in _items(part)]
        elif all(getattr(read_params(), key) for key in _lists(stage)):
            addresses.append(stage.address())
    if not addresses:
        keys = sorted({key for stage in stages for key in _lists(stage)})
        raise InputError(
            f"{name}: key '{keys[0]}' in params.yaml names nothing that it would be made of; "
            "found []"
        )
    return addresses


def _items(stage: Stage) -> list[str]:
    """The models or runs of params.yaml that a stage is run for."""
    return [item for key in _lists(stage) for item in getattr(read_params(), key)]


def _lists(stage: Stage) -> list[str]:
    """The keys of params.yaml that name them."""
    named = (LIST.fullmatch(str(each)) for each in stage.entry.get("matrix", {}).values())
    return [match[1] for match in named if match]
