"""The root of a tree is found from inside of it, or from where embspace is installed."""

from pathlib import Path

import pytest

from embspace.settings.roots import cache_folder, enclosing_root, find_root, is_home
from embspace.settings.study import is_study
from tests.settings.wheel import wheel

__all__ = ["wheel"]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("conf/model", "data/texts"):
        (tmp_path / "tree" / name).mkdir(parents=True)
    for name in ("dvc.yaml", "params.yaml", "data/texts/c.txt"):
        (tmp_path / "tree" / name).write_text("")
    return tmp_path / "tree"


def test_the_tree_is_where_one_stands_or_above(tree: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tree / "data/texts")
    assert find_root() == tree
    assert enclosing_root(tree / "data/texts/c.txt") == tree
    assert enclosing_root(tree.parent) is None


def test_or_else_the_one_that_embspace_is_installed_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    assert (find_root() / "src/embspace/settings/roots.py").is_file()


def test_of_a_wheel_it_is_a_study_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wheel: Path
):
    monkeypatch.setenv("EMBSPACE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("embspace.settings.roots.IN_WHEEL", wheel)
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    assert find_root() == tmp_path / "cache/study"
    assert is_home(find_root()) and is_study(find_root())
    assert not is_home(tmp_path)


def test_a_cache_that_is_named_by_half_a_path_stays_where_the_command_began(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("embspace.settings.roots.STARTED_IN", tmp_path)
    monkeypatch.setenv("EMBSPACE_CACHE", "kept")
    monkeypatch.chdir("/")
    assert cache_folder() == tmp_path / "kept"
