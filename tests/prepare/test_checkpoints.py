"""Pins of the published checkpoints of a training."""

from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.models.checkpoints import chosen_checkpoints
from embspace.models.lock import LockedFile, LockedModel
from embspace.prepare import checkpoints as stage
from embspace.prepare.checkpoints import checkpoints_to_read, prepare_checkpoints
from embspace.settings.model import describe_model
from tests.published_training import bert_content, choose, describe, neox_content

MODEL = describe_model("neox", neox_content())


def entry(step: int) -> LockedModel:
    file = LockedFile(sha256=f"{step}" * 64, size=1)
    files = {"config.json": file}
    return LockedModel(
        repository="maker/neox", revision=f"step{step}", commit="c" * 40, files=files
    )


def test_the_pin_is_commit_and_hashes_by_step(monkeypatch: pytest.MonkeyPatch):
    looked_for: list[str] = []
    monkeypatch.setattr(stage, "locate_files", lambda name, files: looked_for.append(name))
    lock = {f"neox@step{step}": entry(step) for step in (0, 1, 4)}
    pins = prepare_checkpoints("neox", MODEL, lock, n_checkpoints=2)
    assert list(pins) == ["0", "4"]
    assert pins["4"] == {
        "repository": "maker/neox",
        "revision": "step4",
        "commit": "c" * 40,
        "sha256": {"config.json": "4" * 64},
    }
    assert looked_for == ["neox@step0", "neox@step4"]
    # Another model's entry, and one that is not chosen, change nothing.
    fewer = {name: pin for name, pin in lock.items() if name != "neox@step1"}
    assert prepare_checkpoints("neox", MODEL, fewer | {"other": entry(0)}, n_checkpoints=2) == pins


def test_one_that_was_not_fetched_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as caught:
        prepare_checkpoints("neox", MODEL, {}, n_checkpoints=3)
    assert str(caught.value) == (
        "neox@step0: not fetched, models.lock does not have it; get it with\n"
        "  embspace fetch neox --checkpoints"
    )


def test_one_of_another_repository_than_the_file_asks_for_is_refused(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(stage, "locate_files", lambda name, files: None)
    lock = {f"neox@step{step}": entry(step) for step in (0, 1)}
    lock["neox@step4"] = entry(1)
    message = "has maker/neox at step1, its file asks for maker/neox at step4"
    with pytest.raises(InputError, match=f"neox@step4: not fetched, .*{message}"):
        prepare_checkpoints("neox", MODEL, lock, n_checkpoints=3)


def test_steps_with_the_same_weights_are_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(stage, "locate_files", lambda name, files: None)
    lock = {f"neox@step{step}": entry(step) for step in (0, 1, 4)}
    for step, digit in ((0, "a"), (1, "b"), (4, "a")):
        lock[f"neox@step{step}"].files["model.safetensors"] = LockedFile(sha256=digit * 64, size=1)
    with pytest.raises(InputError) as caught:
        prepare_checkpoints("neox", MODEL, lock, n_checkpoints=3)
    assert str(caught.value) == (
        "conf/model/neox.yaml: key 'checkpoints.steps': found steps that have the same weights: "
        "0, 4; leave out those that are not what they are named"
    )
    # Of other weights, the same config is as it should be.
    for step in (0, 1, 4):
        lock[f"neox@step{step}"].files["config.json"] = LockedFile(sha256="f" * 64, size=1)
    lock["neox@step4"].files["model.safetensors"] = LockedFile(sha256="c" * 64, size=1)
    assert len(prepare_checkpoints("neox", MODEL, lock, n_checkpoints=3)) == 3


def test_those_to_read_are_as_many_as_the_settings_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    model = describe("bert", bert_content())
    choose(2)
    assert checkpoints_to_read("bert", model) == chosen_checkpoints("bert", model, 2)
    choose(1)
    with pytest.raises(InputError, match=r"conf/prepare/checkpoints\.yaml: key 'n_checkpoints'"):
        checkpoints_to_read("bert", model)
