"""A canary passes unless its model's vectors moved."""

import json
import shutil
from pathlib import Path

import pytest

from embspace.app.practice.canary import check_canary, save_canary
from embspace.errors import InputError
from tests.app.cli.call import call
from tests.app.practice.test_reading import there
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


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("layer", "1", "layer: found '1', allowed: a whole number"),
        ("layer", True, "layer: found True, allowed: a whole number"),
        ("layer", 9, "layer: found 9, allowed: 0 to 2"),
        ("pooling", 3, "pooling: found 3, allowed: a name"),
        ("pooling", "median", "pooling: found 'median'; did you mean 'mean'"),
        ("model", None, "model: found None, allowed: a name"),
        ("texts", "a cat", "texts: found 'a cat', allowed: a list"),
        ("texts", ["a", 2], "texts: entry 2: found 2, allowed: a text"),
        ("texts", ["a", "b"], "vectors: found 12, allowed: 2, one a text"),
        ("vectors", 1.5, "vectors: found 1.5, allowed: a list"),
        ("vectors", [[1], [1, 2]], r"vectors: numbers in an entry: found \[1, 2\], allowed: as "),
        ("vectors", [[1], ["x"]], r"vectors: entry 2: found \['x'\], allowed: a list of float32"),
        ("vectors", [[1], [10**400]], "vectors: entry 2: found "),
        ("vectors", [[float("nan")]], r"vectors: entry 1: found \[nan\]"),
    ],
)
def test_a_bad_value_is_named_with_its_file(canary: Path, key: str, value: object, message: str):
    content = json.loads(canary.read_text())
    canary.write_text(json.dumps(content | {key: value}))
    with pytest.raises(InputError, match=f"^{canary}: {message}"):
        check_canary(canary)


def test_a_folder_with_a_model_is_found_from_the_file(there: Path, tmp_path: Path):
    study = tmp_path / "study"
    shutil.copytree(there / "models/tiny", study / "tiny")
    file = study / "canary.json"
    save_canary([varied(n) for n in range(12)], file, str(study / "tiny"))
    assert str(tmp_path) not in file.read_text()
    moved = study.rename(tmp_path / "moved")
    assert check_canary(moved / file.name).said.startswith("not moved")
    (moved / "tiny").rename(tmp_path / "tiny")
    with pytest.raises(InputError, match=r"canary.json: model: found './tiny', .* by --model"):
        check_canary(moved / file.name)
    assert check_canary(moved / file.name, str(tmp_path / "tiny")).said.startswith("not moved")


def test_vectors_are_no_canary(tmp_path: Path):
    import numpy as np

    with pytest.raises(InputError, match="--save: found vectors, allowed: texts"):
        save_canary(np.eye(8), tmp_path / "canary.json")
