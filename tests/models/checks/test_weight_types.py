from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from embspace.errors import InputError, RefusedModel
from embspace.models.checks.weight_types import check_weight_types
from embspace.models.weights import load_model
from embspace.settings.model import describe_model
from tests.lazy import safetensors_torch, torch
from tests.tiny import tiny_description

TABLE = "embeddings.word_embeddings.weight"


@pytest.fixture
def folder(tiny_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_folder, tmp_path / "tiny"))


def edit(folder: Path, name: str, kind: str) -> None:
    file = folder / "model.safetensors"
    tensors = safetensors_torch.load_file(file)
    tensors[name] = tensors.get(name, torch.zeros(1, 4)).to(getattr(torch, kind))
    safetensors_torch.save_file(tensors, file, metadata={"format": "pt"})


@pytest.mark.parametrize("kind", ["float64", "float32", "float16", "bfloat16"])
def test_floating_point_weights_pass(folder: Path, kind: str):
    edit(folder, TABLE, kind)
    check_weight_types(folder)


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        ("int8", "I8"),
        ("uint8", "U8"),
        ("bool", "BOOL"),
        ("complex64", "C64"),
        ("float8_e4m3fn", "F8_E4M3"),
    ],
)
def test_quantized_weights_are_named_with_their_type(folder: Path, kind: str, shown: str):
    edit(folder, TABLE, kind)
    with pytest.raises(RefusedModel, match=rf"'{TABLE}' is of the type {shown}, allowed: F64, F32"):
        load_model("tiny", describe_model("tiny", tiny_description(folder)))


@pytest.mark.parametrize("name", ["encoder.layer.0.output.dense.bias", "x.LayerNorm.gamma"])
def test_so_are_biases_and_norms_of_old_names(folder: Path, name: str):
    edit(folder, name, "int8")
    with pytest.raises(RefusedModel, match=f"'{name}' is of the type I8"):
        check_weight_types(folder)


def test_numbers_of_positions_may_be_whole(folder: Path):
    edit(folder, "embeddings.position_ids", "int64")
    edit(folder, "h.0.attn.bias", "bool")
    check_weight_types(folder)


def test_a_file_that_is_cut_off_is_told(folder: Path):
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(InputError, match="is no whole safetensors file"):
        check_weight_types(folder)


def test_nothing_is_known_of_pickles(tmp_path: Path):
    (tmp_path / "pytorch_model.bin").write_bytes(b"x")
    check_weight_types(tmp_path)
