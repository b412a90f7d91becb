"""Checkpoints in the hub's layout, whole or absent, with the state to continue training."""

import hashlib
import json
import logging
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from embspace.errors import InputError
from embspace.files.atomic import partial_name, remove_strays
from embspace.files.tensors import load_tensors, save_tensors
from embspace.models.locate import sha256
from embspace.settings.run import Run
from embspace.train.schedule import checkpoint_steps

RECORD = "training.json"
MOMENTS = "optimizer.safetensors"


@dataclass(frozen=True)
class Record:
    """The content of a checkpoint's `training.json`."""

    fingerprint: str  # of all that the weights follow from
    step: int
    losses: list[float]  # of each step since the checkpoint before
    sha256: dict[str, str]  # of the other files of the folder
    own_sha256: str = ""  # of what stands above

    def hashed(self) -> "Record":
        """Return the same record with its own hash."""
        content = {key: value for key, value in asdict(self).items() if key != "own_sha256"}
        text = json.dumps(content, sort_keys=True)
        return replace(self, own_sha256=hashlib.sha256(text.encode()).hexdigest())


@dataclass(frozen=True)
class Checkpoint:
    """The weights of a seed after so many steps of a phase."""

    root: str  # the folder of the run
    seed: int
    phase: str
    step: int

    @property
    def folder(self) -> Path:
        """Return the checkpoint's folder."""
        return Path(self.root, f"seed_{self.seed}", self.phase, f"step_{self.step:06d}")

    @property
    def key(self) -> str:
        """The checkpoint's name among the checkpoints of the run."""
        return f"seed_{self.seed}.{self.phase}.{self.step}"

    def losses(self) -> list[tuple[int, float]]:
        """The steps since the checkpoint before, numbered from 1, and the loss of each."""
        losses = read_record(self.folder).losses
        return list(enumerate(losses, self.step - len(losses) + 1))


def checkpoints_of(root: str, run: Run, seed: int, phase: str) -> list[Checkpoint]:
    """The checkpoints of a seed and phase, in order."""
    chosen = run.phases[phase]
    steps = checkpoint_steps(chosen.n_steps, chosen.n_checkpoints)
    return [Checkpoint(root, seed, phase, step) for step in steps]


def all_checkpoints(root: str, run: Run) -> list[Checkpoint]:
    """Return the checkpoints of all seeds and phases, by seed."""
    return [
        checkpoint
        for seed in run.seeds
        for phase in run.phases
        for checkpoint in checkpoints_of(root, run, seed, phase)
    ]


def save_checkpoint(
    folder: Path,
    module: Any,
    tokenizer: Any,
    moments: dict[str, np.ndarray],
    *,
    fingerprint: str,
    step: int,
    losses: Sequence[float],
) -> None:
    """Write a checkpoint; the folder appears under the final name when complete.

    Raises:
        InputError: if the checkpoint cannot be written, naming the folder and the reason.
    """
    partial = partial_name(folder)
    try:
        partial.mkdir(parents=True)
        remove_strays(folder)
        module.save_pretrained(partial)
        tokenizer.save_pretrained(partial)
        save_tensors(moments, str(partial / MOMENTS))
        files = sorted(file for file in partial.iterdir() if file.is_file())
        hashes = {file.name: sha256(file) for file in files}
        record = Record(fingerprint, step, list(losses), hashes).hashed()
        text = json.dumps(asdict(record), indent=1)
        (partial / RECORD).write_text(f"{text}\n", encoding="ascii")
        shutil.rmtree(folder, ignore_errors=True)
        partial.rename(folder)
    except Exception as error:  # what safetensors and tokenizers raise has no common base
        raise InputError(f"{folder}: cannot be written: {error}") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def read_record(folder: Path) -> Record:
    """Return a checkpoint's record, after a check of the files.

    Raises:
        InputError: if the checkpoint is missing, or a file is missing or changed.
    """
    file = folder / RECORD
    try:
        record = Record(**json.loads(file.read_text(encoding="ascii")))
    except FileNotFoundError:
        raise InputError(f"{file}: not found; `dvc repro` makes it") from None
    except (ValueError, TypeError) as error:
        raise InputError(f"{file}: is no record of a checkpoint: {error}") from error
    if record != record.hashed():
        raise InputError(f"{file}: is not what training wrote")
    for name, expected in record.sha256.items():
        if not (folder / name).is_file():
            raise InputError(f"{folder / name}: not found, but {file} has its sha256")
        if (actual := sha256(folder / name)) != expected:
            raise InputError(
                f"{folder / name}: is not what training wrote\n"
                f"  found    {actual}\n  expected {expected}"
            )
    return record


def load_moments(folder: Path) -> dict[str, np.ndarray]:
    """Return the optimizer's state at a checkpoint."""
    return load_tensors(str(folder / MOMENTS))


def remove_others(root: str, checkpoints: Sequence[Checkpoint]) -> None:
    """Delete everything else in a folder of a run: old steps, phases, seeds, halves."""
    wanted = {checkpoint.folder for checkpoint in checkpoints}
    inner = {parent for folder in wanted for parent in folder.parents}
    for path in sorted(Path(root).rglob("*"), reverse=True):
        if any(parent in wanted for parent in (path, *path.parents)):
            continue
        if path.is_symlink():
            path.unlink()  # what it leads to is nobody's here
        elif path.is_dir() and path not in inner:
            shutil.rmtree(path)
        elif path.is_file():
            path.unlink()


def whole_checkpoints(folders: Sequence[Path], fingerprint: str) -> int:
    """Return the number of first folders with whole checkpoints of this very training.

    From the first other folder on, all are deleted, never to be mistaken for checkpoints of this
    training. A damaged checkpoint is reported.
    """
    for number, folder in enumerate(folders):
        try:
            if folder.exists() and read_record(folder).fingerprint == fingerprint:
                continue
        except InputError as error:
            logging.getLogger(__name__).warning("%s\nit is trained again", error)
        for rest in folders[number:]:
            shutil.rmtree(rest, ignore_errors=True)
        return number
    return len(folders)
