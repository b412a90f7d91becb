"""Runs the stages of an analysis or a chapter by its short name."""

import subprocess
import sys
from pathlib import Path

from embspace.app.repro import environment
from embspace.errors import InputError, not_among
from embspace.settings.params import read_params
from embspace.settings.pipeline import find_stages


def run_stages(name: str, model: str | None) -> int:
    """Run `dvc repro` for the stages of a name and what they need; return its exit code.

    Args:
        name: A stage, a noun or a chapter: `measure_helix`, `helix` or `positional`.
        model: One of params.yaml, or None for all of them; also one of its runs.

    Raises:
        InputError: if nothing is called so, or the model is not in params.yaml.
    """
    command = [sys.executable, "-m", "dvc", "repro", *addresses_of(Path(), name, model)]
    return subprocess.run(command, env=environment(), check=False).returncode


def addresses_of(root: Path, name: str, model: str | None) -> list[str]:
    """Return what `dvc repro` takes for the stages of a name."""
    stages = find_stages(root, name)
    if model is None and not any(stage.family for stage in stages):
        return [stage.address() for stage in stages]
    params = read_params()
    named = {
        "${models}": params.models,
        "${profiled}": params.profiled,
        "${checkpointed}": params.checkpointed,
        "${trained}": params.trained,
    }
    addresses, allowed = [], set[str]()
    for stage in (part for each in stages for part in each.by_family()):
        items = stage.entry.get("matrix", {}).values()
        known = named.get(next(iter(items)), []) if len(items) == 1 else []
        allowed |= set(known)
        addresses += [stage.address(each) for each in known if model in (None, each)]
    if not addresses and model is None:
        raise InputError(f"{name}: params.yaml names no model of which it would be measured")
    if not addresses:
        raise InputError(f"--model: {not_among(model, sorted(allowed))}; params.yaml names them")
    return addresses
