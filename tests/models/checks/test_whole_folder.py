import json
import shutil
from codecs import BOM_UTF8
from pathlib import Path

import pytest
from safetensors.numpy import load_file

from embspace.errors import InputError, RefusedModel
from embspace.models.checks.whole_folder import check_whole_folder
from embspace.models.weights import load_model
from embspace.settings.model import describe_model
from tests.models.checks.changed import save
from tests.tiny import tiny_description


@pytest.fixture
def folder(tiny_folder: Path, tmp_path: Path) -> Path:
    """A copy of the tiny model that may be changed."""
    return shutil.copytree(tiny_folder, tmp_path / "mine")


def sharded(folder: Path, names: list[str]) -> dict[str, str]:
    """Cut the weights into files of these names; which parameter is where."""
    stored = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    places = {key: names[number % len(names)] for number, key in enumerate(sorted(stored))}
    for name in names:
        save(folder, {key: stored[key] for key in stored if places[key] == name}, name)
    return places


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ("pytorch_model.bin", "pickle, which may run code; .*convert it with"),
        ("weights.safetensors", "there is weights.safetensors: rename it"),
        ("tf_model.h5", "TensorFlow's"),
        ("flax_model.msgpack", "Flax's"),
        ("model.gguf", "GGUF"),
        ("openvino_model.xml", "OpenVINO's"),
        ("training_args.bin", "a model folder has the hub's layout"),
        ("openvino_model.bin", "a model folder has the hub's layout"),
    ],
)
def test_other_forms_of_weights_are_recognized(folder: Path, other: str, message: str):
    (folder / "model.safetensors").rename(folder / other)
    with pytest.raises(RefusedModel, match=rf"(?s)no model\.safetensors; .*{message}"):
        check_whole_folder(folder, [], unpickle=False)


def test_a_folder_of_checkpoints_names_the_last_one(folder: Path, tmp_path: Path):
    shutil.move(folder, tmp_path / "runs/checkpoint-500")
    with pytest.raises(RefusedModel, match=r"no config\.json; there is one in .*checkpoint-500"):
        check_whole_folder(tmp_path / "runs", [], unpickle=False)


@pytest.mark.parametrize("names", [["a.safetensors", "b.safetensors"]])
def test_shards_of_any_name_are_read_by_their_index(
    tiny_folder: Path, folder: Path, names: list[str]
):
    places = sharded(folder, names)
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {}, "weight_map": places}))
    check_same(tiny_folder, folder)
    (folder / names[0]).unlink()
    with pytest.raises(InputError, match=f"names {names[0]}, allowed: files beside it"):
        check_whole_folder(folder, [], unpickle=False)


def test_an_index_without_metadata_is_read(tiny_folder: Path, folder: Path):
    places = sharded(folder, ["a.safetensors", "b.safetensors"])
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": places}))
    check_same(tiny_folder, folder)


def test_what_is_no_file_of_weights_is_told(folder: Path):
    file = folder / "model.safetensors"
    file.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:a\nsize 3\n")
    with pytest.raises(RefusedModel, match=r"git's pointer to a large file; .*\n  git lfs pull"):
        check_whole_folder(folder, [], unpickle=False)
    file.unlink()
    file.mkdir()
    with pytest.raises(RefusedModel, match=r"model\.safetensors: found a folder"):
        check_whole_folder(folder, [], unpickle=False)
    file.rmdir()
    file.symlink_to(folder / "nothing")
    with pytest.raises(RefusedModel, match="is a link to .*nothing, where there is no file"):
        check_whole_folder(folder, [], unpickle=False)


def test_a_byte_order_mark_before_the_config_is_left_out(tiny_folder: Path, folder: Path):
    file = folder / "config.json"
    file.write_bytes(BOM_UTF8 + file.read_bytes())
    check_same(tiny_folder, folder)


def test_a_quantization_that_is_switched_off_is_read(tiny_folder: Path, folder: Path):
    file = folder / "config.json"
    off = {"quantization_config": {"load_in_8bit": False, "load_in_4bit": None}}
    file.write_text(json.dumps(json.loads(file.read_text()) | off))
    check_same(tiny_folder, folder)


def test_shards_without_an_index_are_read(tiny_folder: Path, folder: Path):
    sharded(folder, [f"model-0000{n}-of-00002.safetensors" for n in (1, 2)])
    check_same(tiny_folder, folder)


def check_same(whole: Path, shards: Path) -> None:
    modules = [
        load_model("tiny", describe_model("tiny", tiny_description(folder)))
        for folder in (whole, shards)
    ]
    first, second = (module.state_dict() for module in modules)
    assert first.keys() == second.keys()
    assert all(first[key].equal(second[key]) for key in first)
