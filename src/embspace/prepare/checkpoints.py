"""Stage `prepare_checkpoints`: which checkpoints of a model's training are read, and their pins.

DVC sees models.lock as a whole. Stages that read the checkpoints depend on the pins written here;
the pins change with the checkpoints' own entries alone.
"""

import json
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from embspace.errors import InputError
from embspace.files.atomic import write_bytes
from embspace.models.checkpoints import PublishedCheckpoint, chosen_checkpoints
from embspace.models.locate import locate_files
from embspace.models.lock import Locked, locked_model, read_lock
from embspace.settings.model import Model, describe_model, model_file
from embspace.settings.schema import read_yaml, validate
from embspace.settings.stage import StageConfig, run_stage, settings_file, settings_schema

WEIGHTS = (".safetensors", ".bin")


def prepare_checkpoints(
    name: str,
    model: Model,
    lock: dict[str, Locked],
    *,
    n_checkpoints: Annotated[int, Field(ge=2)],
) -> dict[str, Any]:
    """Prepare by step: a checkpoint's source, its commit, and the sha256 of each file.

    Raises:
        InputError: if the model's file names no checkpoints, or if a checkpoint was not fetched,
            lacks a file, has another file than was fetched, or has the weights of another
            checkpoint.
    """
    pins = {}
    for checkpoint in chosen_checkpoints(name, model, n_checkpoints):
        locate_files(checkpoint.name, checkpoint.files)
        entry = locked_model(checkpoint.name, checkpoint.files, lock)
        pins[str(checkpoint.step)] = {
            "repository": entry.repository,
            "revision": entry.revision,
            "commit": entry.commit,
            "sha256": {file: locked.sha256 for file, locked in entry.files.items()},
        }
    _check_distinct(name, pins)
    return pins


def _check_distinct(name: str, pins: dict[str, Any]) -> None:
    """Refuse steps whose weights are the same files: makers have published one for another."""
    by_weights: dict[tuple[str, ...], list[str]] = {}
    for step, pin in pins.items():
        weights = [pin["sha256"][file] for file in sorted(pin["sha256"]) if file.endswith(WEIGHTS)]
        if weights:
            by_weights.setdefault(tuple(weights), []).append(step)
    if same := [steps for steps in by_weights.values() if len(steps) > 1]:
        listed = "; ".join(", ".join(steps) for steps in same)
        raise InputError(
            f"{model_file(name)}: key 'checkpoints.steps': found steps that have the same weights: "
            f"{listed}; leave out those that are not what they are named"
        )


def checkpoints_to_read(name: str, model: Model) -> list[PublishedCheckpoint]:
    """Return the checkpoints of a training for `prepare_checkpoints`, by the stage's settings.

    Raises:
        InputError: if the model's file names none, or the settings do not fit.
    """
    file = settings_file(prepare_checkpoints)
    settings = validate(settings_schema(prepare_checkpoints), read_yaml(file), str(file))
    return chosen_checkpoints(name, model, **settings.model_dump())


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    model = describe_model(name, config.model)
    pins = prepare_checkpoints(name, model, read_lock("models.lock"), **config.settings)
    content = json.dumps(pins, indent=2, ensure_ascii=False)
    write_bytes(Path(f"data/prepared/checkpoints/{name}.json"), f"{content}\n".encode())


if __name__ == "__main__":
    run_stage(main, prepare_checkpoints)
