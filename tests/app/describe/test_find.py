"""Models by folder or repository, of which conf/model/ says nothing."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from embspace.app.describe.description import description_of, plain_name, write_description
from embspace.app.describe.find import find_model
from embspace.errors import InputError
from embspace.models import hub_errors
from embspace.models.lock import read_lock
from embspace.settings.model import describe_model
from tests.hub_server import Hub, serving_hub
from tests.tiny import build_tiny_bert


def test_a_description_under_a_name_that_no_model_can_have_is_refused(root: Path):
    (root / "conf/model/...yaml").write_text("source: path\n")
    with pytest.raises(InputError, match=r"found the model '\.\.', allowed: letters"):
        find_model("..", root, None)


def test_messages_name_no_file_that_is_not_there(root: Path, tmp_path: Path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError) as raised:
        find_model(str(tmp_path / "empty"), root, None)
    assert "no config.json" in str(raised.value)
    assert "conf/model" not in str(raised.value)
    with pytest.raises(InputError, match="allowed: a folder, a repository owner/name, or one that"):
        find_model("nothing", root, None)


def test_another_content_has_another_name(root: Path, tmp_path: Path):
    folders = [build_tiny_bert(tmp_path / str(seed) / "mine", seed) for seed in range(2)]
    names = [find_model(str(folder), root, None).name for folder in folders]
    assert names[0] != names[1]
    assert all(name.startswith("mine-") for name in names)
    assert find_model(str(folders[0]), root, None).name == names[0]


@pytest.mark.parametrize("name", ["a, b", "50% of %(x)s", "${y}", "q'uo\"te"])
def test_a_folder_may_have_any_name(root: Path, tmp_path: Path, name: str):
    named = find_model(str(build_tiny_bert(tmp_path / name)), root, None)
    assert named.described
    assert yaml.safe_load(description_of(named, root))["path"] == str(tmp_path / name)


@pytest.mark.parametrize("name", ["..", "a/..", "../..", "./x"])
def test_dots_are_no_repository(name: str, root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(root)
    with pytest.raises(InputError, match="no config.json|no such folder|allowed: a folder"):
        find_model(name, root, None)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub with the tiny model, and an empty cache."""
    monkeypatch.setattr(hub_errors, "PAUSE", 0.01)
    with serving_hub() as running:
        running.connect(tmp_path / "cache", monkeypatch)
        running.push("maker/tiny-bert", build_tiny_bert(tmp_path / "tiny"))
        yield running


def test_a_repository_is_fetched_and_described(
    hub: Hub, root: Path, monkeypatch: pytest.MonkeyPatch
):
    with pytest.raises(InputError, match=r"maker/tiny-bert: not fetched; get it with"):
        find_model("maker/tiny-bert", root, None)
    said: list[str] = []
    named = find_model("maker/tiny-bert", root, said.append)
    assert named.name == plain_name(named) == "maker_tiny-bert"
    assert "maker/tiny-bert, main is" in said[0]
    assert named.described
    written: Any = describe_model(named.name, named.described)
    assert (written.source, written.repository) == ("hub", "maker/tiny-bert")
    assert list((root / "conf/model").iterdir()) == []
    # Who has it asks nobody.
    n_requests = len(hub.requests)
    assert find_model("maker/tiny-bert", root, None) == named
    assert len(hub.requests) == n_requests
    monkeypatch.chdir(root)
    assert [*read_lock()] == ["maker_tiny-bert"]
    write_description(named, root)
    assert find_model("maker/tiny-bert", root, None).described is None


def test_a_repository_that_is_not_there_is_told(hub: Hub, root: Path):
    with pytest.raises(InputError) as raised:
        find_model("maker/none", root, print)
    assert "found 'maker/none', of which" in str(raised.value)
    assert str(raised.value).endswith("nor is there a folder maker/none here")
    assert "conf/model" not in str(raised.value)
