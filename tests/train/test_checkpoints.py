import errno
import resource
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embspace.errors import InputError
from embspace.models.locate import sha256
from embspace.train.checkpoints import (
    MOMENTS,
    RECORD,
    Checkpoint,
    all_checkpoints,
    checkpoints_of,
    load_moments,
    read_record,
    remove_others,
    save_checkpoint,
    whole_checkpoints,
)
from embspace.train.word_tokenizer import word_tokenizer
from tests.train.runs import CLASSIFIED, MASKED, files_of, small_run, some_module, some_tokenizer

REMEMBERED = {"exp_avg.x": np.arange(3, dtype=np.float32), "exp_avg_sq.x": np.ones((2, 2), "f4")}
LOSSES = [0.5, 0.25]
FILES = ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", MOMENTS]
FULL = OSError(errno.ENOSPC, "No space left on device")


def save(folder: Path, module: Any = None, tokenizer: Any = None) -> Path:
    save_checkpoint(
        folder,
        module or some_module(MASKED),
        tokenizer or some_tokenizer(),
        REMEMBERED,
        fingerprint="ours",
        step=7,
        losses=LOSSES,
    )
    return folder


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint; treat it as read-only."""
    return save(tmp_path_factory.mktemp("original") / "step")


@pytest.fixture
def folders(original: Path, tmp_path: Path) -> list[Path]:
    """Four checkpoints of one training."""
    return [Path(shutil.copytree(original, tmp_path / f"step_{step}")) for step in range(4)]


def flip(file: Path, place: int) -> None:
    content = bytearray(file.read_bytes())
    content[place] ^= 1
    file.write_bytes(content)


def test_a_checkpoint_has_the_files_of_the_hub_and_a_record(original: Path):
    assert sorted(files_of(original)) == sorted([*FILES, RECORD])
    assert [path.name for path in original.parent.iterdir()] == [original.name]
    record = read_record(original)
    assert (record.fingerprint, record.step, record.losses) == ("ours", 7, LOSSES)
    assert record.sha256 == {name: sha256(original / name) for name in FILES}


def test_what_the_optimizer_remembers_comes_back(original: Path):
    moments = load_moments(original)
    assert moments.keys() == REMEMBERED.keys()
    assert all(np.array_equal(moments[name], REMEMBERED[name]) for name in moments)


def test_the_same_training_gives_the_same_bytes(original: Path, tmp_path: Path):
    assert files_of(save(tmp_path / "again")) == files_of(original)


@pytest.mark.parametrize("name", FILES)
def test_one_flipped_bit_is_named_with_both_hashes(folders: list[Path], name: str):
    file = folders[0] / name
    before = sha256(file)
    flip(file, file.stat().st_size // 2)
    expected = f"{file}: is not what training wrote\n  found    {sha256(file)}\n  expected {before}"
    with pytest.raises(InputError, match=expected):
        read_record(folders[0])


@pytest.mark.parametrize("part", ["{", '"step"', "0.25"])
def test_one_flipped_bit_in_the_record_is_named(folders: list[Path], part: str):
    file = folders[0] / RECORD
    flip(file, file.read_text().index(part) + len(part) - 1)
    with pytest.raises(InputError, match=f"^{file}: is no"):
        read_record(folders[0])


def test_a_missing_file_is_named(folders: list[Path]):
    (folders[0] / MOMENTS).unlink()
    with pytest.raises(InputError, match=f"^{folders[0] / MOMENTS}: not found, but .*{RECORD}"):
        read_record(folders[0])
    (folders[1] / RECORD).unlink()
    with pytest.raises(InputError, match=f"^{folders[1] / RECORD}: not found; `dvc repro`"):
        read_record(folders[1])


def test_whole_checkpoints_are_all_kept(folders: list[Path], caplog):
    before = files_of(folders[0].parent)
    assert whole_checkpoints(folders, "ours") == 4
    assert files_of(folders[0].parent) == before
    assert not caplog.text


@pytest.mark.parametrize("name", [*FILES, RECORD])
def test_a_damaged_checkpoint_is_told_of_and_training_begins_before_it(
    folders: list[Path], name: str, caplog
):
    flip(folders[2] / name, 0)
    assert whole_checkpoints(folders, "ours") == 2
    assert [folder.is_dir() for folder in folders] == [True, True, False, False]
    assert f"{folders[2] / name}: is no" in caplog.text
    assert "it is trained again" in caplog.text
    assert caplog.text.count("WARNING") == 1


def test_after_a_missing_checkpoint_none_is_kept(folders: list[Path], caplog):
    shutil.rmtree(folders[1])
    assert whole_checkpoints(folders, "ours") == 1
    assert [folder.is_dir() for folder in folders] == [True, False, False, False]
    assert not caplog.text


def test_checkpoints_of_another_training_are_deleted(folders: list[Path], caplog):
    assert whole_checkpoints(folders, "theirs") == 0
    assert not any(folder.exists() for folder in folders)
    assert not caplog.text


def test_what_was_being_written_when_training_was_killed_is_no_checkpoint(tmp_path: Path):
    class Killed(BaseException):
        pass

    class Interrupted:
        def save_pretrained(self, folder: Path) -> None:
            (folder / "tokenizer.json").write_text("{")
            raise Killed

    folder = tmp_path / "step"
    with pytest.raises(Killed):
        save(folder, tokenizer=Interrupted())
    assert not folder.exists()
    assert whole_checkpoints([folder], "ours") == 0
    save(folder)
    assert whole_checkpoints([folder], "ours") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["step"]


def fails(*_: Any, **__: Any) -> None:
    raise FULL


@pytest.mark.parametrize("part", ["module", "tokenizer", "moments", "record"])
def test_a_full_disk_names_the_folder_and_leaves_nothing(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    module, tokenizer, folder = some_module(MASKED), some_tokenizer(), tmp_path / "step"
    if part == "module":
        monkeypatch.setattr(module, "save_pretrained", fails)
    elif part == "tokenizer":
        monkeypatch.setattr(tokenizer, "save_pretrained", fails)
    else:
        monkeypatch.setattr(Path, "write_bytes" if part == "moments" else "write_text", fails)
    with pytest.raises(InputError, match=f"^{folder}: cannot be written: .*No space left"):
        save(folder, module, tokenizer)
    assert list(tmp_path.iterdir()) == []


@contextmanager
def files_no_larger_than(n_bytes: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("part", ["model.safetensors", "tokenizer.json"])
def test_an_error_of_a_library_that_cannot_write_is_told_as_well(part: str, tmp_path: Path):
    # Both files are written by Rust, whose errors are no OSError.
    long = [f"{number}{'a' * 2000}" for number in range(30)]
    tokenizer = word_tokenizer(long, is_masked=True) if part == "tokenizer.json" else None
    module, folder = some_module(MASKED), tmp_path / "step"
    with (
        files_no_larger_than(30_000 if tokenizer else 5_000),
        pytest.raises(InputError, match=f"^{folder}: cannot be written: "),
    ):
        save(folder, module, tokenizer)
    assert list(tmp_path.iterdir()) == []


def test_an_older_checkpoint_stays_if_a_new_one_cannot_be_written(folders: list[Path]):
    before, module = files_of(folders[0].parent), some_module(MASKED)
    module.save_pretrained = fails
    with pytest.raises(InputError, match="No space left"):
        save(folders[0], module)
    assert files_of(folders[0].parent) == before


def test_losses_are_numbered_by_their_steps(original: Path, tmp_path: Path):
    checkpoint = Checkpoint(str(tmp_path), 3, "first", 7)
    assert checkpoint.folder == tmp_path / "seed_3/first/step_000007"
    assert checkpoint.key == "seed_3.first.7"
    shutil.copytree(original, checkpoint.folder)
    assert checkpoint.losses() == [(6, 0.5), (7, 0.25)]


def test_checkpoints_are_in_the_order_of_seeds_phases_and_steps():
    phases = {"b": {**MASKED, "n_checkpoints": 3}, "a": {**CLASSIFIED, "n_checkpoints": 4}}
    run = small_run(phases, seeds=[5, 2])
    assert [checkpoint.step for checkpoint in checkpoints_of("x", run, 2, "a")] == [0, 1, 3, 12]
    assert [
        (checkpoint.seed, checkpoint.phase, checkpoint.step)
        for checkpoint in all_checkpoints("x", run)
    ] == [
        (seed, phase, step)
        for seed in (5, 2)
        for phase, steps in {"b": [0, 1, 12], "a": [0, 1, 3, 12]}.items()
        for step in steps
    ]


@pytest.mark.parametrize("leads_to", ["mine", "mine/a.txt", "gone"])
def test_a_link_in_the_folder_of_a_run_goes_and_what_it_leads_to_stays(
    tmp_path: Path, leads_to: str
):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/a.txt").write_text("a")
    kept, root = (
        all_checkpoints(str(tmp_path / "run"), small_run({"one": MASKED})),
        tmp_path / "run",
    )
    kept[0].folder.mkdir(parents=True)
    (root / "link").symlink_to(tmp_path / leads_to)
    (root / "other").mkdir()
    remove_others(str(root), kept)
    assert [path.name for path in root.iterdir()] == ["seed_0"]
    assert (tmp_path / "mine/a.txt").read_text() == "a"
