"""Trains a seed of a run through all phases."""

import hashlib
import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from embspace.errors import InputError, within
from embspace.models.locate import locate_files, sha256
from embspace.models.tokenizer import load_tokenizer, tokenizer_files
from embspace.prepare.code_module import Module
from embspace.settings.model import Files, FolderModel, HubModel, PackageModel, WheelModel
from embspace.settings.run import (
    MaskedLanguageModeling,
    Phase,
    Run,
    SequenceClassification,
    run_file,
)
from embspace.train.batches import Windows, windows_of
from embspace.train.checkpoints import (
    checkpoints_of,
    load_moments,
    save_checkpoint,
    whole_checkpoints,
)
from embspace.train.heads import build_module, load_weights
from embspace.train.optimize import Start, make_optimizer, moments_of, train_steps
from embspace.train.word_tokenizer import word_tokenizer

# A change of their code may make other weights; one of their docstrings does not.
PACKAGE = Path(__file__).parents[1]
CODE = ("settings/run.py", "clouds/pooling.py", "train/*.py", "models/*.py")
Pretrained = PackageModel | FolderModel | HubModel | WheelModel
LIBRARIES = ("torch", "transformers", "tokenizers", "numpy")
LONGEST_SILENCE_S = 10.0


@dataclass(frozen=True, eq=False)
class Training:
    """Everything for the training of a seed, to send to a process."""

    name: str
    root: str  # where the checkpoints go
    run: Run
    texts: pd.DataFrame
    device: str
    base: Pretrained | None  # the model to start from


def train_seed(training: Training, seed: int) -> None:
    """Train a seed, and write its checkpoints; see `train_model`."""
    import torch

    if training.device == "cpu":
        torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True, warn_only=training.device != "cpu")
    train = _learned(training.texts)
    labels = sorted(set(train["label"])) if training.run.label_column else []
    with within(run_file(training.name)):
        tokenizer, source = _start(training, train)
        for name, phase in training.run.phases.items():
            with within(f"key 'phases.{name}'"):
                windows = _windows(training.run, phase, train, tokenizer, labels)
                start = source if source is not None else _architecture(training.run, tokenizer)
                module = build_module(phase, start, labels, seed)
                _fit(module, training.run, tokenizer)
                source = _train_phase(training, name, seed, module, windows, tokenizer)


def _learned(texts: pd.DataFrame) -> pd.DataFrame:
    """Return the texts that training sees."""
    return texts.loc[texts["split"] == "train", ["text", "label"]].reset_index(drop=True)


def _start(training: Training, train: pd.DataFrame) -> tuple[Any, Path | None]:
    """The tokenizer, and the folder of the weights to start from, if there are some."""
    base = training.base
    if base is None:
        first = next(iter(training.run.phases.values()))
        is_masked = isinstance(first, MaskedLanguageModeling)
        return word_tokenizer(train["text"], is_masked=is_masked), None
    assert training.run.base is not None  # `base` is its description
    folder = locate_files(training.run.base, base)
    tokenizer = load_tokenizer(training.run.base, base)
    if tokenizer.pad_token is None:  # as decoders have it; what is padding, no loss looks at
        if tokenizer.eos_token is None:
            raise InputError("key 'base': its tokenizer has neither a padding token nor an end")
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer, folder


def _fit(module: Any, run: Run, tokenizer: Any) -> None:
    """Tell the model its special tokens, and stop if a window is too long for it."""
    for role in ("cls", "sep"):  # of which not every config knows
        if hasattr(module.config, f"{role}_token_id"):
            setattr(module.config, f"{role}_token_id", getattr(tokenizer, f"{role}_token_id"))
    if module.config.pad_token_id is None:
        module.config.pad_token_id = tokenizer.pad_token_id
    most = getattr(module.config, "max_position_embeddings", None)
    if most is not None and run.window > most:
        raise InputError(
            f"key 'window': found {run.window}, allowed: up to {most}, the positions of the model"
        )


def _architecture(run: Run, tokenizer: Any) -> dict[str, Any]:
    """The config of transformers, with what follows from the vocabulary."""
    assert run.architecture is not None  # Run says so
    roles = {f"{role}_token_id": getattr(tokenizer, f"{role}_token_id") for role in ROLES}
    return {**run.architecture, **roles, "vocab_size": len(tokenizer)}


ROLES = ("pad", "bos", "eos")


def _windows(
    run: Run, phase: Phase, train: pd.DataFrame, tokenizer: Any, labels: list[str]
) -> Windows:
    is_paired = isinstance(phase, MaskedLanguageModeling) and phase.next_sentence_after is not None
    numbers = None
    if isinstance(phase, SequenceClassification):
        numbers = np.array([labels.index(label) for label in train["label"]], dtype=np.int64)
    # A pair needs one [SEP] more.
    return windows_of(list(train["text"]), tokenizer, run.window - is_paired, numbers)


def _train_phase(
    training: Training, name: str, seed: int, module: Any, windows: Windows, tokenizer: Any
) -> Path:
    """Train through a phase, from the last whole checkpoint; return the last one's folder."""
    phase = training.run.phases[name]
    checkpoints = checkpoints_of(training.root, training.run, seed, name)
    folders, steps = zip(
        *((checkpoint.folder, checkpoint.step) for checkpoint in checkpoints), strict=True
    )
    fingerprint = _fingerprint(training, name, seed)
    n_whole = whole_checkpoints(folders, fingerprint)
    if n_whole == len(folders):
        return folders[-1]
    optimizer, start = make_optimizer(module, phase.weight_decay), Start()
    if n_whole:
        load_weights(module, folders[n_whole - 1])
        start = Start(steps[n_whole - 1], load_moments(folders[n_whole - 1]))

    def save(step: int, losses: list[float]) -> None:
        folder, moments = folders[steps.index(step)], moments_of(module, optimizer)
        save_checkpoint(
            folder, module, tokenizer, moments, fingerprint=fingerprint, step=step, losses=losses
        )

    progress = Progress(f"{training.name}, seed {seed}, {name}", start.step, phase.n_steps)
    with _naming_the_last(folders):
        if not n_whole:
            save(0, [])
        losses: list[float] = []
        for step in train_steps(
            module,
            optimizer,
            phase,
            windows,
            tokenizer,
            seed=seed,
            start=start,
            device=training.device,
            precision=training.run.precision,
        ):
            losses.append(step.loss)
            if is_kept := step.number in steps:
                save(step.number, losses)
                losses = []
            progress.tell(step.number, step.loss, is_kept=is_kept)
    return folders[-1]


@contextmanager
def _naming_the_last(folders: Sequence[Path]) -> Iterator[None]:
    """Name the last checkpoint in the message of an error, or of memory that has run out."""
    try:
        yield
    except (InputError, MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "memory" not in str(error):
            raise
        last = next((folder for folder in reversed(folders) if folder.is_dir()), None)
        kept = f"the last checkpoint is {last}" if last else "there is no checkpoint yet"
        message = str(error) if isinstance(error, InputError) else f"out of memory: {error}"
        raise InputError(f"{message}\n{kept}") from error


def _fingerprint(training: Training, phase: str, seed: int) -> str:
    """A hash of all that the weights of a phase follow from."""
    phases = list(training.run.phases)
    run = training.run.model_dump(mode="json", exclude={"label", "license", "language", "seeds"})
    run["phases"] = [run["phases"][name] for name in phases[: phases.index(phase) + 1]]
    base = []
    if training.base is not None:
        base = _hashes(str(training.run.base), training.base)
    content = {
        "run": run,
        "seed": seed,
        "base": base,
        "texts": hashlib.sha256(_learned(training.texts).to_csv().encode()).hexdigest(),
        "code": code_digests(),
        "device": training.device,
        "libraries": {library: version(library) for library in LIBRARIES},
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def code_digests() -> list[str]:
    """Return the hashes of the modules behind trained weights, without docstrings and comments."""
    files = [file for pattern in CODE for file in sorted(PACKAGE.glob(pattern))]
    return [Module(file).digest for file in files]


def _hashes(name: str, model: Pretrained) -> list[str]:
    """Return the hashes of a model's files, and of its tokenizer's where these lie elsewhere."""
    sources: list[Files] = [model, tokenizer_files(model) or model]
    folders = dict.fromkeys(locate_files(name, files) for files in sources)
    files = (file for folder in folders for file in sorted(folder.iterdir()))
    return [sha256(file) for file in files if file.is_file()]


class Progress:
    """Lines with the step, the loss and the time left: one a checkpoint, and between, at times.

    Lines, and no bar: seeds train side by side, and two bars in one place read badly.
    """

    def __init__(self, what: str, first_step: int, n_steps: int) -> None:
        self._what, self._first, self._n_steps = what, first_step, n_steps
        self._began = self._reported = time.monotonic()
        self._losses: list[float] = []
        if first_step:
            self._say(f"goes on from step {first_step} of {n_steps}")

    def tell(self, step: int, loss: float, *, is_kept: bool) -> None:
        """Say that `step` steps are done, with the mean loss since the last line.

        Of a step that is not kept as a checkpoint only if nothing was said for a while.
        """
        self._losses.append(loss)
        now = time.monotonic()
        if not is_kept and now - self._reported < LONGEST_SILENCE_S:
            return
        left = (now - self._began) / (step - self._first) * (self._n_steps - step)
        mean = sum(self._losses) / len(self._losses)
        self._say(f"step {step} of {self._n_steps}, loss {mean:.3f}, {left:.0f} s left")
        self._reported, self._losses = now, []

    def _say(self, text: str) -> None:
        print(f"{self._what}: {text}", file=sys.stderr, flush=True)
