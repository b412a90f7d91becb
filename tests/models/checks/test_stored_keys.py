import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from embspace.errors import RefusedModel
from embspace.models.checks.stored_keys import check_adapter_files, check_stored_keys
from embspace.models.checks.whole_folder import check_whole_folder
from tests.models.checks.changed import save, with_prefix, with_tensors

NOTHING = np.zeros((2, 2), np.float32)


@pytest.mark.parametrize(
    "name",
    [
        "encoder.layer.0.attention.self.query.lora_A.default.weight",
        "base_model.model.encoder.layer.0.attention.self.query.base_layer.weight",
        "encoder.layer.0.output.adapters.x.adapter_down.0.weight",
        "prompt_encoder.default.embedding.weight",
        "encoder.layer.1.attention.self.key.ia3_l.default",
        "encoder.layer.0.attention.self.query.lokr_w1",
        "vblora_vector_bank.default",
        "encoder.layer.0.attention.self.query.vblora_logits_A.default",
        "encoder.layer.0.attention.self.query.fourierft_spectrum.default",
        "encoder.layer.0.output.LayerNorm.ln_tuning_layers.default.weight",
        "encoder.layer.0.output.adapter_fusion_layer.a.query.weight",
    ],
)
def test_adapters_among_the_weights_are_refused(tiny_folder: Path, tmp_path: Path, name: str):
    folder = with_tensors(tiny_folder, tmp_path / "mine", {name: NOTHING})
    with pytest.raises(RefusedModel, match=r"holds adapters, .*merge_and_unload\(\)"):
        check_stored_keys(folder, [])
    check_stored_keys(folder, [name])


@pytest.mark.parametrize("end", ["weight_scale_inv", "weight_scale", "qweight", "SCB"])
def test_scales_of_rounded_weights_are_refused(tiny_folder: Path, tmp_path: Path, end: str):
    name = f"encoder.layer.0.output.dense.{end}"
    folder = with_tensors(tiny_folder, tmp_path / "mine", {name: NOTHING})
    with pytest.raises(RefusedModel, match=f"rounded weights, '{name}'.*dequantize"):
        check_stored_keys(folder, [])
    check_stored_keys(folder, [name])


@pytest.mark.parametrize("name", ["quantize_config.json", "hf_quant_config.json"])
def test_a_file_that_says_how_weights_were_rounded_is_refused(
    tiny_folder: Path, tmp_path: Path, name: str
):
    folder = shutil.copytree(tiny_folder, tmp_path / "mine")
    check_whole_folder(folder, [], unpickle=False)
    (folder / name).write_text("{}")
    with pytest.raises(RefusedModel, match=f"'{name}' beside the weights.*dequantize"):
        check_whole_folder(folder, [], unpickle=False)
    check_whole_folder(folder, [name], unpickle=False)


@pytest.mark.parametrize(
    "name",
    [
        "adapter/adapter_config.json",
        "pytorch_adapter.bin",
        "adapter_model.pt",
        "adapters.safetensors",
    ],
)
def test_adapters_by_other_names_and_in_folders_are_refused(
    tiny_folder: Path, tmp_path: Path, name: str
):
    folder = shutil.copytree(tiny_folder, tmp_path / "mine")
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("{}")
    with pytest.raises(RefusedModel, match=f"'{name}' beside the weights.*merge"):
        check_adapter_files(folder)
    check_adapter_files(folder, [name])


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


@pytest.mark.parametrize(
    "inner", ["_orig_mod.", "_fsdp_wrapped_module.", "_checkpoint_wrapped_module."]
)
def test_wrappers_around_parts_are_named_with_a_command_that_works(
    tiny_folder: Path, tmp_path: Path, inner: str
):
    folder = shutil.copytree(tiny_folder, tmp_path / "mine")
    stored = load_file(folder / "model.safetensors")
    wrapped = {name.replace("attention.", f"attention.{inner}", 1): x for name, x in stored.items()}
    save(folder, wrapped)
    with pytest.raises(RefusedModel, match=f"names hold '{re.escape(inner)}'") as raised:
        check_stored_keys(folder, [])
    command = shlex.split(str(raised.value).split("\n  ")[1])
    subprocess.run([sys.executable, *command[1:]], check=True)
    check_stored_keys(folder, [])
    assert {*load_file(folder / "model.safetensors")} == {*stored}
