import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from embspace.errors import InputError
from embspace.models import memory
from embspace.models.locate import sha256
from embspace.models.lock import LockedFile, LockedModel
from embspace.prepare import model as stage
from embspace.prepare.model import prepare_model
from embspace.settings.model import HubFiles, Model, describe_model
from embspace.settings.schema import read_yaml
from tests.tiny import tiny_description


def hub_model() -> Model:
    description = tiny_description(Path()) | {"source": "hub", "repository": "maker/tiny"}
    del description["path"]
    return describe_model("tiny", description)


def entry(commit: str) -> LockedModel:
    file = LockedFile(sha256="a" * 64, size=1)
    return LockedModel(
        repository="maker/tiny", revision="main", commit=commit * 40, files={"config.json": file}
    )


def test_a_model_of_the_hub_is_its_commit_and_its_hashes(tiny_folder: Path, monkeypatch):
    monkeypatch.setattr(stage, "locate_files", lambda name, files: tiny_folder)
    assert prepare_model("tiny", hub_model(), {"tiny": entry("1"), "other": entry("2")}) == {
        "source": "hub",
        "repository": "maker/tiny",
        "commit": "1" * 40,
        "sha256": {"config.json": "a" * 64},
    }


def test_what_was_not_fetched_is_told(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="tiny: not fetched"):
        prepare_model("tiny", hub_model(), {})


def test_a_folder_is_its_path_and_its_pins(tiny_folder: Path):
    pins = {"model.safetensors": sha256(tiny_folder / "model.safetensors")}
    description = tiny_description(tiny_folder) | {"sha256": pins}
    assert prepare_model("tiny", describe_model("tiny", description), {}) == {
        "source": "path",
        "path": str(tiny_folder),
        "sha256": pins,
    }


def test_a_package_is_its_version_and_its_pins(root: Path):
    description = read_yaml(root / "conf/model/minilm.yaml")
    pin = prepare_model("minilm", describe_model("minilm", description), {})
    assert pin == {
        key: description[key] for key in ("source", "package", "version", "folder", "sha256")
    }


def test_random_weights_are_their_seed_their_config_and_the_tokenizer(root: Path, monkeypatch):
    description = read_yaml(root / "conf/model/minilm_random.yaml")
    model = describe_model("minilm_random", description)
    pin = prepare_model("minilm_random", model, {})
    assert (pin["seed"], pin["config"]["hidden_size"]) == (0, 384)
    assert pin["tokenizer"]["version"] == "0.1.0"
    bare = model.model_copy(update={"tokenizer": None})
    assert prepare_model("minilm_random", bare, {})["tokenizer"] is None
    monkeypatch.setattr(stage, "locate_files", lambda name, files: None)
    files = HubFiles(source="hub", repository="maker/tiny")
    on_the_hub = model.model_copy(update={"tokenizer": files})
    pin = prepare_model("words", on_the_hub, {"words": entry("3")})
    assert pin["tokenizer"]["commit"] == "3" * 40


def test_a_model_that_does_not_fit_into_memory_stops_here(tiny_folder: Path, monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 2**30)
    description = tiny_description(tiny_folder) | {"parameters": 2**30}
    with pytest.raises(InputError, match=r"2 times need 8\.0 GiB of memory, 1\.0 GiB are"):
        prepare_model("tiny", describe_model("tiny", description), {})


@pytest.mark.parametrize(
    ("file", "change", "said"),
    [
        ("config.json", {"use_cache": "maybe"}, "config.json: cannot be read: .*use_cache"),
        ("config.json", {"num_hidden_layers": 0}, "num_hidden_layers.*from 1"),
        ("tokenizer.json", {"model": {"vocab": {"cat": 10**9}}}, "'cat' has the number 1000000000"),
    ],
)
def test_files_that_make_no_model_stop_here(
    tiny_folder: Path, tmp_path: Path, file: str, change: dict[str, Any], said: str
):
    folder = Path(shutil.copytree(tiny_folder, tmp_path / "tiny"))
    (folder / file).write_text(json.dumps(json.loads((folder / file).read_text()) | change))
    with pytest.raises(InputError, match=said):
        prepare_model("tiny", describe_model("tiny", tiny_description(folder)), {})
