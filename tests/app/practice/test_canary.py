"""A canary passes unless its model's vectors moved."""

import json
from pathlib import Path

import pytest

from embspace.app.practice.canary import check_canary, save_canary
from embspace.errors import InputError
from tests.app.cli.call import call
from tests.app.practice.test_corpora import there
from tests.app.test_layer import varied
from tests.loaded.folders import tree

__all__ = ["there", "tree"]


@pytest.fixture
def canary(there: Path, tmp_path: Path) -> Path:
    file = tmp_path / "canary.json"
    said = save_canary([varied(n) for n in range(12)], file, "tiny", layer=1, pooling="mean")
    assert said.startswith("12 texts of texts by tiny, layer 1 of 2, mean in ")
    return file


def test_vectors_that_stayed_pass(canary: Path):
    answer = check_canary(canary)
    assert answer.said.startswith("not moved") and answer.tables["moved"].empty
    assert answer.tables["texts"]["change"].max() < 1e-5
    assert call("drift", "--against", str(canary)).exit_code == 0


def test_one_moved_vector_is_told(canary: Path):
    content = json.loads(canary.read_text())
    content["vectors"][3][0] += 1
    canary.write_text(json.dumps(content))
    answer = check_canary(canary)
    assert answer.tables["moved"]["text"].tolist() == [content["texts"][3]]
    assert call("drift", "--against", str(canary)).exit_code == 1
    assert check_canary(canary, bound=10).tables["moved"].empty


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "cannot be read"),
        ("[]", "allowed: the keys layer, model, pooling, texts, vectors"),
    ],
)
def test_another_file_is_refused(tmp_path: Path, content: str, message: str):
    file = tmp_path / "canary.json"
    file.write_text(content)
    with pytest.raises(InputError, match=message):
        check_canary(file)


def test_vectors_are_no_canary(tmp_path: Path):
    import numpy as np

    with pytest.raises(InputError, match="--save: found vectors, allowed: texts"):
        save_canary(np.eye(8), tmp_path / "canary.json")
