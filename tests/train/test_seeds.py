import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import load_file

from embspace.errors import InputError
from embspace.models.locate import sha256
from embspace.settings.model import FolderModel, WheelModel, describe_model
from embspace.settings.run import Run
from embspace.settings.schema import read_yaml
from embspace.train import seeds
from embspace.train.heads import load_head
from embspace.train.model import train_model
from embspace.train.optimize import train_steps
from embspace.train.seeds import Progress, Training, _hashes, train_seed
from embspace.train.word_tokenizer import word_tokenizer
from tests.lazy import torch
from tests.tiny import build_tiny_bert, tiny_description
from tests.train.runs import (
    BERT,
    CAUSAL,
    CLASSIFIED,
    GPT,
    MASKED,
    PAIRED,
    as_texts,
    files_of,
    small_run,
    some_module,
    some_texts,
    training_of,
)

BOTH = {"pretraining": MASKED, "classification": CLASSIFIED}
TEXTS = some_texts()


@pytest.fixture(autouse=True)
def torch_stays_as_it_was() -> Iterator[None]:
    n_threads, is_strict = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    yield
    torch.set_num_threads(n_threads)
    torch.use_deterministic_algorithms(is_strict)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A seed trained through two phases; treat it as read-only."""
    root = tmp_path_factory.mktemp("trained")
    train_seed(training_of(root, small_run(BOTH), TEXTS), 0)
    return root


@pytest.fixture
def again(trained: Path, tmp_path: Path) -> Path:
    """A copy of it to train again."""
    return Path(shutil.copytree(trained, tmp_path / "again"))


def train(root: Path, run: Run, texts: pd.DataFrame = TEXTS) -> dict[str, bytes]:
    train_seed(training_of(root, run, texts), 0)
    return files_of(root)


def fingerprints(root: Path, phase: str) -> set[str]:
    records = root.glob(f"seed_*/{phase}/step_*/training.json")
    return {json.loads(file.read_text())["fingerprint"] for file in records}


def made_at(root: Path) -> dict[Path, int]:
    return {file: file.stat().st_mtime_ns for file in root.rglob("*") if file.is_file()}


def test_a_whole_training_is_left_as_it_is(again: Path):
    before = made_at(again)
    train(again, small_run(BOTH))
    assert made_at(again) == before


@pytest.mark.parametrize(
    "damaged", ["pretraining/step_000000", "pretraining/step_000012", "classification/step_000005"]
)
def test_what_is_damaged_is_trained_again_to_the_same_bytes(
    trained: Path, again: Path, damaged: str
):
    weights = again / "seed_0" / damaged / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1])
    assert train(again, small_run(BOTH)) == files_of(trained)


def test_what_a_killed_training_left_half_written_is_gone_afterwards(trained: Path, again: Path):
    phase = again / "seed_0/pretraining"
    shutil.copytree(phase / "step_000012", phase / ".step_000012.partial")
    shutil.rmtree(phase / "step_000012")
    assert train(again, small_run(BOTH)) == files_of(trained)


def test_a_label_is_no_reason_to_train_anew(again: Path):
    before = made_at(again)
    train(again, small_run(BOTH, label="other", license="none", language="other", seeds=[0, 1]))
    assert made_at(again) == before


@pytest.mark.parametrize(
    "change", [{"learning_rate": 2e-3}, {"batch_size": 4}, {"trainable_layers": 2}]
)
def test_a_change_of_the_last_phase_keeps_those_before(again: Path, change: dict[str, Any]):
    phases = {**BOTH, "classification": {**CLASSIFIED, **change}}
    before = made_at(again)
    train(again, small_run(phases))
    after = made_at(again)
    kept = {file: time for file, time in after.items() if before.get(file) == time}
    assert {file.parts[-3] for file in kept} == {"pretraining"}
    assert {file.parts[-3] for file in after.keys() - kept.keys()} == {"classification"}
    assert len(kept) == len(list(again.glob("seed_0/pretraining/*/*")))


def test_a_change_of_the_first_phase_trains_all_anew(trained: Path, again: Path):
    phases = {**BOTH, "pretraining": {**MASKED, "learning_rate": 2e-3}}
    train(again, small_run(phases))
    for phase in BOTH:
        assert len(fingerprints(again, phase)) == 1
        assert fingerprints(again, phase) != fingerprints(trained, phase)
        last = f"seed_0/{phase}/step_000012/model.safetensors"
        assert (again / last).read_bytes() != (trained / last).read_bytes()


@pytest.mark.parametrize(
    ("written", "is_same"), [('"""Other words."""\nN = 1  # one\n', True), ("N = 2\n", False)]
)
def test_code_and_not_its_docstrings_makes_other_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str, is_same: bool
):
    monkeypatch.setattr(seeds, "PACKAGE", tmp_path / "package")
    file = tmp_path / "package/train/optimize.py"
    file.parent.mkdir(parents=True)
    file.write_text('"""Words."""\nN = 1\n')
    before = seeds.code_digests()
    file.write_text(written)
    assert (seeds.code_digests() == before) == is_same


def test_other_texts_train_all_anew(trained: Path, again: Path):
    train(again, small_run(BOTH), some_texts(seed=1))
    for phase in BOTH:
        assert fingerprints(again, phase).isdisjoint(fingerprints(trained, phase))


def test_checkpoints_of_one_seed_are_not_taken_for_anothers(trained: Path, again: Path):
    (again / "seed_0").rename(again / "seed_1")
    train_seed(training_of(again, small_run(BOTH), TEXTS), 1)
    for phase in BOTH:
        weights = f"{phase}/step_000000/model.safetensors"
        ours, theirs = again / "seed_1" / weights, trained / "seed_0" / weights
        assert ours.read_bytes() != theirs.read_bytes()


def test_other_steps_leave_no_checkpoint_of_the_steps_before(again: Path):
    phases = {name: {**phase, "n_checkpoints": 3} for name, phase in BOTH.items()}
    train_model("small", small_run(phases), TEXTS, str(again), "cpu")
    assert len(fingerprints(again, "pretraining")) == 1
    assert sorted(path.name for path in (again / "seed_0/pretraining").iterdir()) == [
        f"step_{step:06d}" for step in (0, 1, 12)
    ]


def test_the_test_split_is_not_looked_at(trained: Path, tmp_path: Path):
    texts = TEXTS.copy()
    texts.loc[texts["split"] == "test", ["text", "label"]] = ["unseen words", "unseen"]
    train(tmp_path, small_run(BOTH), texts)
    for phase in BOTH:
        weights = f"seed_0/{phase}/step_000012/model.safetensors"
        assert (tmp_path / weights).read_bytes() == (trained / weights).read_bytes()


def test_step_0_is_the_model_before_training(trained: Path):
    tokenizer = json.loads((trained / "seed_0/pretraining/step_000000/tokenizer.json").read_text())
    vocabulary = {"vocab_size": len(tokenizer["model"]["vocab"])}
    expected = some_module(MASKED, 0, **vocabulary).state_dict()
    tensors = load_file(trained / "seed_0/pretraining/step_000000/model.safetensors")
    assert all(np.array_equal(values, expected[name].numpy()) for name, values in tensors.items())


def test_a_phase_begins_with_the_last_weights_of_the_one_before(trained: Path):
    last, first = (
        load_file(trained / "seed_0" / step / "model.safetensors")
        for step in ("pretraining/step_000012", "classification/step_000000")
    )
    shared = {name for name in first if name.startswith("bert.") and ".pooler." not in name}
    assert shared == {name for name in last if name.startswith("bert.")}
    assert all(np.array_equal(first[name], last[name]) for name in shared)


def test_no_checkpoint_is_like_another(trained: Path):
    weights = [file.read_bytes() for file in trained.rglob("model.safetensors")]
    assert len(weights) == len(set(weights)) == 10


def test_each_step_has_its_loss(trained: Path):
    for phase in BOTH:
        folders = sorted((trained / "seed_0" / phase).iterdir())
        records = [json.loads((folder / "training.json").read_text()) for folder in folders]
        steps = [record["step"] for record in records]
        assert steps == [int(folder.name.removeprefix("step_")) for folder in folders]
        assert [len(record["losses"]) for record in records] == [0, *np.diff(steps)]
        losses = [loss for record in records for loss in record["losses"]]
        assert len(losses) == 12
        # Untrained, a model knows next to nothing: ln 30 of words, ln 2 of classes.
        assert abs(losses[0] - np.log({"pretraining": 30, "classification": 2}[phase])) < 0.3


NO_WEIGHT_STAYS = {**MASKED, "learning_rate": 1e38}


def test_a_loss_that_is_no_number_names_the_key_and_the_last_checkpoint(tmp_path: Path):
    message = (
        r"^conf/train/small\.yaml: key 'phases\.first': step 2: the loss is nan\n"
        rf"the last checkpoint is {tmp_path}/seed_0/first/step_000001$"
    )
    with pytest.raises(InputError, match=message):
        train(tmp_path, small_run({"first": NO_WEIGHT_STAYS}))
    assert sorted(path.name for path in (tmp_path / "seed_0/first").iterdir()) == [
        "step_000000",
        "step_000001",
    ]


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: can't allocate memory"),
        "CUDA out of memory. Tried to allocate 20.00 GiB",
        MemoryError("Unable to allocate 20. GiB"),
    ],
)
def test_full_memory_names_the_last_checkpoint(
    error: Exception | str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    if isinstance(error, str):
        error = torch.OutOfMemoryError(error)

    def two_steps(*given: Any, **options: Any) -> Iterator[Any]:
        steps = train_steps(*given, **options)
        yield from (next(steps), next(steps))
        raise error

    monkeypatch.setattr(seeds, "train_steps", two_steps)
    with pytest.raises(InputError) as raised:
        train(tmp_path, small_run(BOTH))
    assert str(raised.value) == (
        f"conf/train/small.yaml: key 'phases.pretraining': out of memory: {error}\n"
        f"the last checkpoint is {tmp_path}/seed_0/pretraining/step_000002"
    )


def test_an_error_of_ours_is_not_taken_for_full_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def fails(*_: Any, **__: Any) -> None:
        raise RuntimeError("shapes differ")

    monkeypatch.setattr(seeds, "train_steps", fails)
    with pytest.raises(RuntimeError, match="^shapes differ$"):
        train(tmp_path, small_run(BOTH))


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path):
    (tmp_path / "seed_0").write_text("a file")
    folder = tmp_path / "seed_0/pretraining/step_000000"
    with pytest.raises(
        InputError, match=f"{folder}: cannot be written: .*\nthere is no checkpoint"
    ):
        train(tmp_path, small_run(BOTH))


@pytest.mark.parametrize(
    ("phases", "architecture"), [({"first": MASKED}, BERT), ({"first": CAUSAL}, GPT)]
)
def test_a_window_longer_than_the_model_reads_is_an_error(
    phases: dict[str, Any], architecture: dict[str, Any], tmp_path: Path
):
    with pytest.raises(InputError, match="key 'window': found 17"):
        train(tmp_path, small_run(phases, architecture=architecture, window=17))


def test_the_tokenizer_of_a_decoder_is_a_decoders(tmp_path: Path):
    train(tmp_path, small_run({"first": CAUSAL}))
    folder = tmp_path / "seed_0/first/step_000012"
    config = json.loads((folder / "config.json").read_text())
    assert [config[f"{role}_token_id"] for role in ("pad", "bos", "eos")] == [0, 2, 3]
    assert config["vocab_size"] == len(
        load_file(folder / "model.safetensors")["transformer.wte.weight"]
    )


def test_pairs_of_the_longest_windows_fit(tmp_path: Path):
    long = as_texts(["a b . c d e " * 10, "f g h . i " * 10, "k . l", "m", "n"], ["0"] * 5)
    train(tmp_path, small_run({"first": PAIRED}), long)
    module = load_head(
        tmp_path / "seed_0/first/step_000012", small_run({"first": PAIRED}).phases["first"]
    )
    assert type(module).__name__ == "BertForPreTraining"


def base_of(folder: Path) -> FolderModel:
    described = describe_model("tiny", tiny_description(folder))
    assert isinstance(described, FolderModel)
    return described


def based(root: Path, folder: Path, phase: dict[str, Any]) -> Training:
    run = small_run({"first": phase}, base="tiny", architecture=None, matrices=None)
    return Training("small", str(root), run, TEXTS, "cpu", base_of(folder))


def test_a_base_gives_its_weights_and_its_tokenizer(tiny_folder: Path, tmp_path: Path):
    train_seed(based(tmp_path, tiny_folder, CLASSIFIED), 0)
    steps = sorted((tmp_path / "seed_0/first").iterdir())
    theirs = load_file(tiny_folder / "model.safetensors")
    first, last = (load_file(step / "model.safetensors") for step in (steps[0], steps[-1]))
    for name, values in theirs.items():
        assert np.array_equal(first[f"bert.{name}"], values)
        is_trained = name.startswith(("encoder.layer.1.", "pooler."))
        assert np.array_equal(last[f"bert.{name}"], values) != is_trained
    vocabularies = [
        json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
        for folder in (tiny_folder, steps[-1])
    ]
    assert vocabularies[0] == vocabularies[1]


def test_another_base_of_the_same_name_trains_anew(tmp_path: Path):
    build_tiny_bert(tmp_path / "base")
    train_seed(based(tmp_path, tmp_path / "base", CLASSIFIED), 0)
    before = fingerprints(tmp_path, "first")
    build_tiny_bert(tmp_path / "base", seed=1)
    train_seed(based(tmp_path, tmp_path / "base", CLASSIFIED), 0)
    assert before.isdisjoint(fingerprints(tmp_path, "first"))


def test_another_tokenizer_of_a_base_trains_anew(tmp_path: Path):
    build_tiny_bert(tmp_path / "base")
    train_seed(based(tmp_path, tmp_path / "base", CLASSIFIED), 0)
    before = fingerprints(tmp_path, "first")
    file = tmp_path / "base/tokenizer.json"
    content = json.loads(file.read_text())
    words = content["model"]["vocab"]
    words["a"], words["b"] = words["b"], words["a"]
    file.write_text(json.dumps(content))
    train_seed(based(tmp_path, tmp_path / "base", CLASSIFIED), 0)
    assert before.isdisjoint(fingerprints(tmp_path, "first"))


def test_a_tokenizer_beside_a_wheel_is_a_part_of_the_base(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    weights, words = tmp_path / "weights", tmp_path / "words"
    for folder in (weights, words):
        folder.mkdir()
        (folder / "file.json").write_text(folder.name)
    tokenizer = {"source": "path", "path": str(words)}
    wheel = read_yaml(root / "conf/model/minilm_l3.yaml") | {"tokenizer": tokenizer}
    monkeypatch.setattr(
        seeds, "locate_files", lambda _, files: words if files.source == "path" else weights
    )
    model = describe_model("minilm_l3", wheel)
    assert isinstance(model, WheelModel)
    assert _hashes("minilm_l3", model) == [
        sha256(folder / "file.json") for folder in (weights, words)
    ]


@pytest.mark.parametrize("phase", [CAUSAL, CLASSIFIED])
def test_a_base_without_a_padding_token_is_trained_or_refused(
    phase: dict[str, Any], tmp_path: Path
):
    # As GPT-2 and most decoders are.
    some_module(CAUSAL, pad_token_id=None).save_pretrained(tmp_path / "base")
    tokenizer = word_tokenizer(TEXTS["text"], is_masked=False)
    tokenizer.pad_token = None
    tokenizer.save_pretrained(tmp_path / "base")
    try:
        train_seed(based(tmp_path, tmp_path / "base", phase), 0)
    except InputError as error:
        assert "key 'base'" in str(error)
    else:
        assert (tmp_path / "seed_0/first/step_000012").is_dir()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What the clock shows next; the last of it stays."""
    times = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: times[-1])
    return times


def test_a_line_has_the_step_the_mean_loss_and_the_time_left(clock: list[float], capsys):
    shown = Progress("small, seed 0, first", 0, 40)
    clock.append(105.0)
    shown.tell(9, 3.0, is_kept=False)
    shown.tell(10, 2.0, is_kept=True)
    assert capsys.readouterr().err == (
        "small, seed 0, first: step 10 of 40, loss 2.500, 15 s left\n"
    )


def test_time_is_counted_from_the_step_that_training_goes_on_from(clock: list[float], capsys):
    shown = Progress("small", 30, 40)
    assert capsys.readouterr().err == "small: goes on from step 30 of 40\n"
    clock.append(102.0)
    shown.tell(35, 1.0, is_kept=True)
    assert capsys.readouterr().err == "small: step 35 of 40, loss 1.000, 2 s left\n"
    clock.append(104.0)
    shown.tell(40, 1.0, is_kept=True)
    assert capsys.readouterr().err.endswith(", 0 s left\n")


def test_long_steps_between_checkpoints_are_not_silent(clock: list[float], capsys):
    shown = Progress("small", 0, 100)
    for step, loss in enumerate((5.0, 3.0, 1.0, 1.0), 1):
        clock.append(100.0 + 6 * step)
        shown.tell(step, loss, is_kept=False)
    assert capsys.readouterr().err.splitlines() == [
        "small: step 2 of 100, loss 4.000, 588 s left",
        "small: step 4 of 100, loss 1.000, 576 s left",
    ]


def test_the_code_that_weights_follow_from_is_there():
    assert all(list(seeds.PACKAGE.glob(pattern)) for pattern in seeds.CODE)
