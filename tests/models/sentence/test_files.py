"""The files of a sentence model are found, and no others are taken for them."""

from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.models.sentence.files import (
    is_sentence_file,
    listed_modules,
    sentence_files,
    transformer_folder,
)
from tests.models.sentence.folders import dense, pooling, write_modules

TANH = "torch.nn.modules.activation.Tanh"


def test_its_files_are_listed(tmp_path: Path):
    write_modules(tmp_path, [pooling("mean"), dense(32, 8, activation_function=TANH)])
    (tmp_path / "onnx").mkdir()
    (tmp_path / "onnx/config.json").write_text("{}")
    names = [file.relative_to(tmp_path).as_posix() for file in sentence_files(tmp_path)]
    assert names == [
        "1_Pooling/config.json",
        "2_Dense/config.json",
        "2_Dense/model.safetensors",
        "config_sentence_transformers.json",
        "modules.json",
        "sentence_bert_config.json",
    ]
    (tmp_path / "modules.json").unlink()
    assert sentence_files(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sentence_roberta_config.json", True),
        ("3_Normalize/config.json", True),
        ("config.json", False),
        ("onnx/model.safetensors", False),
        ("2_Dense/pytorch_model.bin", False),
    ],
)
def test_files_are_told_by_their_paths(name: str, expected: bool):
    assert is_sentence_file(name) == expected


def test_a_transformer_of_its_own_folder_is_found_where_the_model_has_no_config(tmp_path: Path):
    assert transformer_folder(tmp_path) == tmp_path
    (tmp_path / "0_Transformer").mkdir()
    write_modules(tmp_path, [pooling("mean")], transformer="0_Transformer")
    assert transformer_folder(tmp_path) == tmp_path
    (tmp_path / "0_Transformer/config.json").write_text("{}")
    assert transformer_folder(tmp_path) == tmp_path / "0_Transformer"
    (tmp_path / "config.json").write_text("{}")
    assert transformer_folder(tmp_path) == tmp_path


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "modules.json: cannot be read"),
        ('[{"path": ""}]', "no list of modules"),
        ('[{"type": "a.Transformer", "path": "../x"}]', "leads out of the folder"),
    ],
)
def test_a_list_that_is_none_is_told(tmp_path: Path, content: str, message: str):
    (tmp_path / "modules.json").write_text(content)
    with pytest.raises(InputError, match=message):
        listed_modules(tmp_path)
