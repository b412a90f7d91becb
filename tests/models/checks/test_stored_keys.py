import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from embspace.errors import RefusedModel
from embspace.models.checks.stored_keys import check_adapter_files, check_stored_keys
from tests.models.checks.changed import with_prefix, with_tensors

NOTHING = np.zeros((2, 2), np.float32)


@pytest.mark.parametrize(
    "name",
    [
        "encoder.layer.0.attention.self.query.lora_A.default.weight",
        "base_model.model.encoder.layer.0.attention.self.query.base_layer.weight",
        "encoder.layer.0.output.adapters.x.adapter_down.0.weight",
        "prompt_encoder.default.embedding.weight",
        "encoder.layer.1.attention.self.key.ia3_l.default",
    ],
)
def test_adapters_among_the_weights_are_refused(tiny_folder: Path, tmp_path: Path, name: str):
    folder = with_tensors(tiny_folder, tmp_path / "mine", {name: NOTHING})
    with pytest.raises(RefusedModel, match=r"holds adapters, .*merge_and_unload\(\)"):
        check_stored_keys(folder, [])
    check_stored_keys(folder, [name])


def test_relative_positions_are_refused(tiny_folder: Path, tmp_path: Path):
    name = "encoder.layer.0.attention.self.distance_embedding.weight"
    folder = with_tensors(tiny_folder, tmp_path / "mine", {name: NOTHING})
    with pytest.raises(RefusedModel, match="relative positions.*transformers 5 does not read"):
        check_stored_keys(folder, [])


@pytest.mark.parametrize("prefix", ["module.", "_orig_mod.", "0.auto_model.", "auto_model."])
def test_the_prefix_of_a_wrapper_is_named_and_the_command_strips_it(
    tiny_folder: Path, tmp_path: Path, prefix: str
):
    folder = with_prefix(tiny_folder, tmp_path / "mine", prefix)
    with pytest.raises(RefusedModel, match=f"names begin with '{prefix}'") as raised:
        check_stored_keys(folder, [])
    command = str(raised.value).partition("\n  ")[2]
    code = command.removeprefix('python -c "').removesuffix('"')
    subprocess.run([sys.executable, "-c", code], check=True)
    check_stored_keys(folder, [])
    stored = load_file(tiny_folder / "model.safetensors")
    assert load_file(folder / "model.safetensors").keys() == stored.keys()


def test_an_adapter_beside_or_alone_is_refused(tiny_folder: Path, tmp_path: Path):
    folder = shutil.copytree(tiny_folder, tmp_path / "mine")
    check_adapter_files(folder)
    (folder / "adapter_config.json").write_text("{}")
    with pytest.raises(RefusedModel, match=r"'adapter_config.json' beside the weights.*merge"):
        check_adapter_files(folder)
    check_adapter_files(folder, ["adapter_*"])
    (folder / "model.safetensors").unlink()
    with pytest.raises(RefusedModel, match="holds an adapter alone.*merge_and_unload"):
        check_adapter_files(folder)


def test_a_model_as_it_is_saved_is_taken(tiny_folder: Path):
    check_stored_keys(tiny_folder, [])
