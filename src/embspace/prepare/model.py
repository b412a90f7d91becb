"""Stage `prepare_model`: what the files of a model are, before anything is read from them.

DVC sees models.lock as a whole. Stages that read a model depend on the pin written here; the pin
changes with the model's own entry alone.
"""

import json
from pathlib import Path
from typing import Any

from embspace.files.atomic import write_bytes
from embspace.models.checks.architecture import check_architecture
from embspace.models.checks.files import check_files
from embspace.models.locate import locate_files, locate_vectors, sha256
from embspace.models.lock import Locked, locked_model, locked_wheel, read_lock
from embspace.models.memory import check_memory
from embspace.settings.model import (
    Files,
    FolderModel,
    HubFiles,
    Model,
    RandomModel,
    VectorsModel,
    WheelFiles,
    WheelModel,
    describe_model,
)
from embspace.settings.stage import StageConfig, run_stage


def prepare_model(name: str, model: Model, lock: dict[str, Locked]) -> dict[str, Any]:
    """Return the pin of a model: the source, and the sha256 of the known files.

    Raises:
        InputError: if the model is larger than the free memory, was not fetched, or if a file is
            missing, differs from the pin, or does not make a model.
    """
    if isinstance(model, VectorsModel):
        files = locate_vectors(name, model)
        return {
            "source": model.source,
            "sha256": {key: sha256(file) for key, file in files.items()},
        }
    check_memory(name, model, copies=2)  # some stages hold one with random weights beside it
    if isinstance(model, RandomModel):
        tokenizer = _pin(name, model.tokenizer, lock) if model.tokenizer else None
        return {
            "source": model.source,
            "seed": model.seed,
            "config": model.config,
            "tokenizer": tokenizer,
        }
    pin = _pin(name, model, lock)
    folder = locate_files(name, model)
    check_files(name, model, folder)
    check_architecture(folder)
    if isinstance(model, WheelModel | FolderModel) and model.tokenizer:
        pin["tokenizer"] = _pin(name, model.tokenizer, lock)
    return pin


def _pin(name: str, files: Files, lock: dict[str, Locked]) -> dict[str, Any]:
    locate_files(name, files)
    if isinstance(files, HubFiles):
        entry = locked_model(name, files, lock)
        return {
            "source": files.source,
            "repository": entry.repository,
            "commit": entry.commit,
            "sha256": {file: locked.sha256 for file, locked in entry.files.items()},
        }
    if isinstance(files, WheelFiles):
        made = locked_wheel(name, files, lock).files
        known = {"source", "package", "version", "members"}
        hashes = {file: locked.sha256 for file, locked in made.items()}
        return files.model_dump(include=known) | {"sha256": hashes}
    known = {"source", "package", "version", "folder", "path", "sha256"}
    return files.model_dump(include=known)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    model = describe_model(name, config.model)
    pin = prepare_model(name, model, read_lock("models.lock"), **config.settings)
    content = json.dumps(pin, indent=2, sort_keys=True, ensure_ascii=False)
    write_bytes(Path(f"data/prepared/model/{name}.json"), f"{content}\n".encode())


if __name__ == "__main__":
    run_stage(main, prepare_model)
