import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from embspace.errors import InputError
from embspace.models.checks.files import check_files
from embspace.settings.model import describe_model
from tests.lazy import safetensors_torch, torch
from tests.tiny import tiny_description


def quantize(folder: Path) -> None:
    file = folder / "model.safetensors"
    tensors = {
        name: values.to(torch.int8) for name, values in safetensors_torch.load_file(file).items()
    }
    safetensors_torch.save_file(tensors, file, metadata={"format": "pt"})


def change(name: str, **what: Any) -> Callable[[Path], None]:
    def change_file(folder: Path) -> None:
        file = folder / name
        file.write_text(json.dumps(json.loads(file.read_text()) | what))

    return change_file


def check(folder: Path, output: str | None = None) -> None:
    described = tiny_description(folder)
    described["matrices"] = {**described["matrices"], "output": output}  # type: ignore[dict-item]
    check_files("tiny", describe_model("tiny", described), folder)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (change("config.json", hidden_size=-1), "key 'hidden_size': found -1"),
        (quantize, "is of the type I8"),
        (change("tokenizer.json", model={"vocab": {"cat": 10**9}}), "'cat' has the number"),
    ],
)
def test_each_file_is_looked_at(
    tiny_folder: Path, tmp_path: Path, damage: Callable[[Path], None], said: str
):
    folder = Path(shutil.copytree(tiny_folder, tmp_path / "tiny"))
    check(folder)
    damage(folder)
    with pytest.raises(InputError, match=said):
        check(folder)


def test_so_is_what_the_description_names(tiny_folder: Path):
    with pytest.raises(InputError, match=r"the weights have no 'out\.weight'"):
        check(tiny_folder, "out.weight")
