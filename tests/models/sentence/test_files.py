"""The files of a sentence model are found, and no others are taken for them."""

import json
from pathlib import Path

import pytest

from embspace.errors import RefusedModel
from embspace.models.sentence.files import (
    listed_modules,
    module_files,
    module_folders,
    sentence_files,
    transformer_folder,
)
from tests.models.sentence.folders import dense, pooling, write_modules

TANH = "torch.nn.modules.activation.Tanh"


def leading_to(path: str) -> str:
    return json.dumps([{"type": "sentence_transformers.models.Transformer", "path": path}])


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
        ("pooling/config.json", True),
        ("1_Pooling/config.json", False),
        ("0_Transformer/sentence_bert_config.json", True),
        ("config.json", False),
        ("onnx/model.safetensors", False),
        ("2_Dense/pytorch_model.bin", False),
    ],
)
def test_files_are_told_by_their_paths(name: str, expected: bool):
    folders = ["0_Transformer", "pooling", "2_Dense", "3_Normalize"]
    assert module_files([name], folders) == ([name] if expected else [])


def test_the_transformer_is_where_modules_json_says(tmp_path: Path):
    (tmp_path / "config.json").write_text('{"__version__": {"sentence_transformers": "2.0"}}')
    assert transformer_folder(tmp_path) == tmp_path
    (tmp_path / "0_Transformer").mkdir()
    write_modules(tmp_path, [pooling("mean")], transformer="0_Transformer")
    assert transformer_folder(tmp_path) == tmp_path / "0_Transformer"
    assert module_folders(tmp_path) == ["0_Transformer", "1_Pooling"]
    (tmp_path / "model.safetensors").write_bytes(b"another model")
    assert transformer_folder(tmp_path) == tmp_path / "0_Transformer"
    assert module_folders(tmp_path) == ["0_Transformer", "1_Pooling"]


def test_modules_stand_in_the_order_of_the_file(tmp_path: Path):
    """As in sentence-transformers 6.2, which reads no idx."""
    kinds = ("Transformer", "Pooling", "Normalize")
    numbers: list[object] = [2, "one", None]
    listed = [
        {"idx": idx, "path": "", "type": f"sentence_transformers.models.{kind}"}
        for idx, kind in zip(numbers, kinds, strict=True)
    ]
    (tmp_path / "modules.json").write_text(json.dumps(listed))
    assert tuple(kind for kind, _ in listed_modules(tmp_path)) == kinds


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "modules.json: is no JSON"),
        ("[]", "no list of modules"),
        ('[{"path": ""}]', "no list of modules"),
        ('[{"type": "sentence_transformers.models.Pooling", "path": 1}]', "no list of modules"),
        ('[{"type": "custom_st.Transformer", "path": ""}]', "'custom_st.Transformer' is none of"),
        (leading_to("../x"), "'../x' leads out of the folder"),
        (leading_to("a/../../x"), "leads out of the folder"),
        (leading_to("/tmp"), "'/tmp' leads out of the folder"),
    ],
)
def test_a_list_that_is_none_is_told(tmp_path: Path, content: str, message: str):
    (tmp_path / "modules.json").write_text(content)
    with pytest.raises(RefusedModel, match=message):
        listed_modules(tmp_path)
