"""What `embspace models` lists."""

from pathlib import Path

import pytest
import yaml

from embspace.app.models import list_models
from tests.tiny import tiny_description

HUB = {"source": "hub", "repository": "maker/large", "revision": "main"}
RANDOM = {"source": "random", "seed": 0, "config": {"model_type": "bert"}}
LOCKED = {"repository": "maker/large", "revision": "main", "commit": "0" * 40}
FILE = {"config.json": {"sha256": "0" * 64, "size": 2}}


@pytest.fixture(autouse=True)
def tree(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Models of several sources, of which one is fetched."""
    (tmp_path / "conf/model").mkdir(parents=True)
    folder = tiny_description(tmp_path / "weights")
    described = {key: value for key, value in folder.items() if key not in ("source", "path")}
    files = {"here": folder, "large": described | HUB, "other": described | HUB}
    files["random"] = described | RANDOM
    for name, content in files.items():
        (tmp_path / f"conf/model/{name}.yaml").write_text(yaml.safe_dump(content))
    (tmp_path / "models.lock").write_text(yaml.safe_dump({"large": {**LOCKED, "files": FILE}}))
    (tmp_path / "params.yaml").write_text(
        "{models: [large], corpora: [a], profiled: [], trained: [], seed: 0, device: cpu}"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_each_model_has_its_repository_and_where_its_weights_are(tree: Path):
    assert [line.split(maxsplit=1) for line in list_models()] == [
        ["name", "repository   weights"],
        ["here", f"             folder {tree / 'weights'}, not there".strip()],
        ["large", "maker/large  fetched, in params.yaml"],
        ["other", "maker/large  not fetched: embspace fetch other"],
        ["random", "random"],
    ]


def test_a_folder_that_is_there_is_not_said_to_lack(tree: Path):
    (tree / "weights").mkdir()
    assert list_models()[1].endswith(f"folder {tree / 'weights'}")


def test_the_models_of_the_project_are_all_listed(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(root)
    named = {line.split()[0] for line in list_models()[1:]}
    assert named == {path.stem for path in (root / "conf/model").glob("*.yaml")}


def test_an_empty_file_is_named(tree: Path):
    (tree / "conf/model/mine.yaml").write_text("")
    assert any(line.split() == ["mine", "an", "empty", "file"] for line in list_models())
