import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from embspace.errors import InputError
from embspace.models.checks.weight_types import check_weight_types

TABLE = "embeddings.word_embeddings.weight"


@pytest.fixture
def folder(tiny_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_folder, tmp_path / "tiny"))


def edit(folder: Path, name: str, kind: torch.dtype) -> None:
    file = folder / "model.safetensors"
    tensors = load_file(file)
    tensors[name] = tensors.get(name, torch.zeros(1, 4)).to(kind)
    save_file(tensors, file, metadata={"format": "pt"})


@pytest.mark.parametrize("kind", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_floating_point_weights_pass(folder: Path, kind: torch.dtype):
    edit(folder, TABLE, kind)
    check_weight_types(folder)


@pytest.mark.parametrize(("kind", "shown"), [(torch.int8, "I8"), (torch.uint8, "U8")])
def test_quantized_weights_are_named_with_their_type(folder: Path, kind: torch.dtype, shown: str):
    edit(folder, TABLE, kind)
    with pytest.raises(InputError, match=rf"'{TABLE}' is of the type {shown}, allowed: F64, F32"):
        check_weight_types(folder)


def test_numbers_of_positions_may_be_whole(folder: Path):
    edit(folder, "embeddings.position_ids", torch.int64)
    check_weight_types(folder)


def test_a_file_that_is_cut_off_is_told(folder: Path):
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(InputError, match="is no whole safetensors file"):
        check_weight_types(folder)


def test_nothing_is_known_of_pickles(tmp_path: Path):
    (tmp_path / "pytorch_model.bin").write_bytes(b"x")
    check_weight_types(tmp_path)
