import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from embspace.errors import InputError
from embspace.models.checks.token_ids import check_token_ids
from embspace.settings.model import describe_model
from tests.tiny import VOCABULARY, tiny_description

N = len(VOCABULARY)


@pytest.fixture
def folder(tiny_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_folder, tmp_path / "tiny"))


def check(folder: Path) -> None:
    check_token_ids(describe_model("tiny", tiny_description(folder)), folder)


def edit(folder: Path, **change: Any) -> None:
    file = folder / "tokenizer.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | change))


def test_tokens_of_the_models_own_rows_fit(folder: Path):
    check(folder)
    edit(folder, model={"vocab": {"cat": N - 1}})
    check(folder)


@pytest.mark.parametrize(
    "change",
    [
        {"model": {"vocab": {"the": 0, "cat": N}}},
        {"added_tokens": [{"id": N, "content": "cat"}]},
    ],
)
def test_a_token_without_a_row_is_named(folder: Path, change: dict[str, Any]):
    edit(folder, **change)
    with pytest.raises(InputError, match=rf"tokenizer\.json: the token 'cat' has the number {N},"):
        check(folder)


@pytest.mark.parametrize("content", ["[]", "{", '{"model": 1, "added_tokens": {"a": 1}}'])
def test_what_is_no_tokenizer_is_told_elsewhere(folder: Path, content: str):
    (folder / "tokenizer.json").write_text(content)
    check(folder)


def test_nothing_is_known_without_rows_or_tokenizer(folder: Path, tmp_path: Path):
    (folder / "model.safetensors").unlink()
    check(folder)
    about = {"label": "v", "license": "x", "language": "x", "path": "x", "source": "vectors"}
    check_token_ids(describe_model("v", about), tmp_path)
