import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from embspace.errors import InputError
from embspace.models.checks.architecture import check_architecture


def changed(tiny_folder: Path, folder: Path, **change: Any) -> Path:
    shutil.copytree(tiny_folder, folder)
    file = folder / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    return folder


def test_a_config_that_makes_a_model_passes(tiny_folder: Path, tmp_path: Path):
    check_architecture(tiny_folder)
    check_architecture(tmp_path)  # without a config.json, which is told elsewhere


@pytest.mark.parametrize(
    "change",
    [
        {"type_vocab_size": "two"},
        {"max_position_embeddings": -1},
        {"num_attention_heads": 5},  # does not divide the 32 dimensions
        {"hidden_act": "none such"},
        {"intermediate_size": 10**30},
        {"model_type": "none such"},
        {"use_cache": []},
    ],
)
def test_a_config_that_makes_none_is_told_in_a_line(
    tiny_folder: Path, tmp_path: Path, change: dict[str, Any]
):
    folder = changed(tiny_folder, tmp_path / "tiny", **change)
    with pytest.raises(InputError) as refused:
        check_architecture(folder)
    assert str(refused.value).startswith(f"{folder / 'config.json'}: ")
