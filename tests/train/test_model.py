import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from safetensors.numpy import load_file

from embspace.errors import InputError
from embspace.models.weights import load_model
from embspace.settings.model import describe_model
from embspace.settings.run import Run
from embspace.train.batches import windows_of
from embspace.train.checkpoints import all_checkpoints
from embspace.train.heads import load_head
from embspace.train.model import _at_once, train_model
from tests.lazy import torch, transformers
from tests.train.runs import (
    BERT,
    BERT_MATRICES,
    CAUSAL,
    CLASSIFIED,
    GPT_MATRICES,
    MASKED,
    PAIRED,
    STEPS,
    WINDOW,
    as_texts,
    files_of,
    long_run,
    small_run,
    some_texts,
)

RUNS = {
    "encoder": small_run({"pretraining": MASKED, "classification": CLASSIFIED}, seeds=[0, 1]),
    "decoder": small_run({"pretraining": CAUSAL, "classification": CLASSIFIED}),
    "paired": small_run({"pretraining": PAIRED}),
}
MATRICES: dict[str, dict[str, Any]] = {
    "encoder": BERT_MATRICES,
    "decoder": GPT_MATRICES,
    "paired": BERT_MATRICES,
}


@pytest.fixture(scope="module")
def roots(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Each run, trained; treat them as read-only."""
    roots = {kind: tmp_path_factory.mktemp(kind) for kind in RUNS}
    for kind, run in RUNS.items():
        train_model("small", run, some_texts(), str(roots[kind]), "cpu")
    return roots


@pytest.mark.parametrize("kind", RUNS)
def test_all_checkpoints_are_there_and_nothing_else(kind: str, roots: dict[str, Path]):
    expected = {checkpoint.folder for checkpoint in all_checkpoints(str(roots[kind]), RUNS[kind])}
    assert len(expected) == 5 * len(RUNS[kind].seeds) * len(RUNS[kind].phases)
    assert {file.parent for file in roots[kind].rglob("*") if file.is_file()} == expected


@pytest.mark.parametrize("kind", RUNS)
def test_checkpoints_are_read_as_any_model_of_the_hub(kind: str, roots: dict[str, Path]):
    checkpoints = all_checkpoints(str(roots[kind]), RUNS[kind])
    for checkpoint in (checkpoints[0], checkpoints[3], checkpoints[-1]):
        module = transformers.AutoModel.from_pretrained(checkpoint.folder)
        tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint.folder)
        assert len(tokenizer) == module.config.vocab_size == 30 - (kind == "decoder")
        assert len(tokenizer("a1 a2 .")["input_ids"]) == 5
        description = {
            "label": "small",
            "license": "CC0-1.0",
            "language": "invented",
            "source": "path",
            "path": str(checkpoint.folder),
            "matrices": MATRICES[kind],
        }
        ours = load_model("small", describe_model("small", description)).state_dict()
        stored = load_file(checkpoint.folder / "model.safetensors")
        for role in ("input", "positional"):
            name = MATRICES[kind][role]
            (array,) = (values for key, values in stored.items() if key.endswith(f".{name}"))
            assert np.array_equal(ours[name].numpy(), array)


def test_a_second_call_changes_nothing(roots: dict[str, Path]):
    def state() -> dict[Path, int]:
        return {path: path.stat().st_mtime_ns for path in roots["encoder"].rglob("*")}

    before = state()
    train_model("small", RUNS["encoder"], some_texts(), str(roots["encoder"]), "cpu")
    assert state() == before


def test_a_seed_gives_the_same_bytes_alone_and_another_seed_other_weights(
    roots: dict[str, Path], tmp_path: Path
):
    alone = RUNS["encoder"].model_copy(update={"seeds": [1]})
    train_model("small", alone, some_texts(), str(tmp_path), "cpu")
    both = roots["encoder"]
    assert files_of(tmp_path / "seed_1") == files_of(both / "seed_1")
    weights = [file.read_bytes() for file in both.rglob("model.safetensors")]
    assert len(set(weights)) == len(weights)


@pytest.mark.slow
def test_a_seed_that_trains_in_a_process_of_its_own_gives_the_same_bytes(tmp_path: Path):
    """By day joblib starts none: see tests/one_process.py."""
    run = RUNS["encoder"]
    for name, seeds in (("both", [0, 1]), ("alone", [1])):
        seeded = run.model_copy(update={"seeds": seeds})
        train_model("small", seeded, some_texts(), str(tmp_path / name), "cpu")
    assert files_of(tmp_path / "alone/seed_1") == files_of(tmp_path / "both/seed_1")


class Killed:
    """Training in processes of its own, which die all at once."""

    def __init__(self, root: Path, tree: Path) -> None:
        path = os.pathsep.join([str(tree / "src"), str(tree)])
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.train.runs", str(root)],
            cwd=tree,
            env={**os.environ, "PYTHONPATH": path},
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def once(self, folder: Path, after: float) -> None:
        """Kill it so many seconds after a folder is there."""
        deadline = time.monotonic() + 120
        while not folder.exists():
            assert self._process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.001)
        time.sleep(after)
        self.now()

    def now(self) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    @property
    def is_killed(self) -> bool:
        return self._process.returncode == -signal.SIGKILL


@pytest.mark.slow
def test_killed_and_started_again_training_comes_to_the_same_bytes(root: Path, tmp_path: Path):
    whole, killed, chance = tmp_path / "whole", tmp_path / "killed", random.Random(7)
    folders = [checkpoint.folder for checkpoint in all_checkpoints(str(killed), long_run())]
    assert len(folders) == 18
    for moment in [chance.randrange(first, first + 4) for first in (1, 6, 11)]:
        process = Killed(killed, root)
        try:
            process.once(folders[moment], chance.uniform(0, 0.05))
        finally:
            process.now()
        assert process.is_killed
        assert not folders[-1].exists()
    train_model("small", long_run(), some_texts(), str(killed), "cpu")
    train_model("small", long_run(), some_texts(), str(whole), "cpu")
    assert files_of(killed) == files_of(whole)
    assert len(files_of(whole)) == 6 * len(folders)


def test_an_error_comes_out_of_the_process_that_it_arose_in(tmp_path: Path):
    run = small_run({"first": {**MASKED, "learning_rate": 1e38}})
    message = (
        r"^conf/train/small\.yaml: key 'phases\.first': step 2: the loss is nan\n"
        rf"the last checkpoint is {tmp_path}/seed_0/first/step_000001$"
    )
    with pytest.raises(InputError, match=message):
        train_model("small", run, some_texts(), str(tmp_path), "cpu")


def on_a_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, description: Any) -> None:
    monkeypatch.chdir(tmp_path)
    if description is not None:
        Path("conf/model").mkdir(parents=True)
        Path("conf/model/mine.yaml").write_text(yaml.safe_dump(description))
    run = small_run({"first": CLASSIFIED}, base="mine", architecture=None, matrices=None)
    train_model("small", run, some_texts(), "trained", "cpu")


HEAD = {"label": "x", "license": "CC0-1.0", "language": "none"}
RANDOM = {**HEAD, "source": "random", "seed": 0, "config": BERT, "matrices": BERT_MATRICES}


@pytest.mark.parametrize(
    ("description", "message"),
    [
        (None, "key 'base': found 'mine', but no file conf/model/mine.yaml"),
        (RANDOM, "key 'base': conf/model/mine.yaml describes no trained weights"),
        (
            {**HEAD, "source": "vectors", "path": "x.npy"},
            "key 'base': conf/model/mine.yaml describes no trained weights",
        ),
    ],
)
def test_a_base_that_cannot_be_one_is_named(
    description: Any, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with pytest.raises(InputError, match=rf"^conf/train/small\.yaml: {message}"):
        on_a_base(tmp_path, monkeypatch, description)
    assert not Path("trained").exists()


def test_a_device_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(InputError, match="the device: found 'cuda'"):
        train_model("small", RUNS["paired"], some_texts(), str(tmp_path), "cuda")


# Each first word is any of eight, each second word follows from the first.
EIGHT = [f"a{number}" for number in range(8)]
FAST = {"n_steps": 120, "n_checkpoints": 2, "batch_size": 16, "learning_rate": 0.01}


def couples() -> pd.DataFrame:
    generator = np.random.default_rng(0)
    drawn = generator.choice(EIGHT, (100, 7))
    texts = [" ".join(f"{word} {word.replace('a', 'b')}" for word in row) for row in drawn]
    return as_texts(texts, ["0"] * len(texts))


def mean_of_last_losses(run: Run, root: Path, texts: pd.DataFrame) -> float:
    train_model("small", run, texts, str(root), "cpu")
    losses = [
        loss for checkpoint in all_checkpoints(str(root), run) for _, loss in checkpoint.losses()
    ]
    assert len(losses) == 120
    return float(np.mean(losses[-10:]))


@pytest.mark.slow
def test_a_decoder_learns_what_follows(tmp_path: Path):
    run = small_run({"first": {**CAUSAL, **FAST}})
    # Of 15 words that are asked for, 7 are one of eight, and 8, the end too, follow: 0.97 nats.
    # Without what stands before, it would be one of 16: 2.77.
    assert 0.9 < mean_of_last_losses(run, tmp_path, couples()) < 1.3


@pytest.mark.slow
def test_an_encoder_learns_what_stands_around_a_gap(tmp_path: Path):
    texts = as_texts([" ".join([word] * 14) for word in EIGHT * 12], ["0"] * 96)
    run = small_run({"first": {**MASKED, **FAST}})
    # It has one word again and again; without what stands around, it would be one of eight.
    assert mean_of_last_losses(run, tmp_path, texts) < np.log(8) / 2


def test_a_classifier_tells_classes_apart_that_it_has_not_seen_a_text_of(tmp_path: Path):
    texts = some_texts(100)
    first = {**MASKED, "n_steps": 20, "n_checkpoints": 2}
    last = {**CLASSIFIED, **STEPS, **FAST, "n_steps": 60, "learning_rate": 0.005}
    run = small_run({"first": first, "last": last})
    train_model("small", run, texts, str(tmp_path), "cpu")
    folder = all_checkpoints(str(tmp_path), run)[-1].folder
    module, tokenizer = (
        load_head(folder, run.phases["last"]),
        transformers.AutoTokenizer.from_pretrained(folder),
    )
    held_out = texts[texts["split"] == "test"]
    windows = windows_of(held_out["text"].tolist(), tokenizer, WINDOW)
    ids = torch.from_numpy(windows.ids)
    with torch.no_grad():
        predicted = module(input_ids=ids, attention_mask=(ids != 0).long()).logits.argmax(dim=1)
    expected = held_out["label"].astype(int).to_numpy()[windows.text]
    is_telling = windows.n_tokens > 4  # not a last word alone, without its class
    assert np.array_equal(predicted.numpy()[is_telling], expected[is_telling])


@pytest.mark.parametrize(
    ("n_seeds", "n_cores", "device", "expected"),
    [
        (3, 2, "cpu", 3),
        (4, 2, "cpu", 2),
        (1, 2, "cpu", 1),
        (5, 2, "cpu", 2),
        (3, 16, "cpu", 3),
        (3, 16, "cuda", 1),
    ],
)
def test_a_few_seeds_share_the_cores_and_many_take_turns(
    monkeypatch: pytest.MonkeyPatch, n_seeds: int, n_cores: int, device: str, expected: int
) -> None:
    monkeypatch.setattr("joblib.cpu_count", lambda: n_cores)
    assert _at_once(n_seeds, device) == expected
