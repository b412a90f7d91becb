"""A tree is a repository of DVC with git, without it, and wherever it lies."""

import os
from pathlib import Path

import pytest

from embspace.app.repro.repository import KEPT_IN, open_repository, without_git
from embspace.errors import InputError


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree that was unpacked below a name that DVC's settings could misread."""
    folder = tmp_path / "Name, %(x)s $y 5%"
    (folder / ".dvc").mkdir(parents=True)
    (folder / ".dvc/config").write_text("[core]\n    analytics = false\n")
    return folder


def test_a_tree_without_git_is_opened(tree: Path):
    assert Path(open_repository(tree).root_dir) == tree


def test_a_tree_inside_has_the_cache_of_the_one_around_it(tree: Path):
    inner = tree / ".cache/trees/mine"
    (inner / ".dvc").mkdir(parents=True)
    cache = tree / ".dvc/cache"
    (inner / ".dvc/config").write_text(without_git(cache, ["copy"], inner))
    cache_inside = open_repository(inner).cache.local
    assert Path(cache_inside.path).resolve() == cache / "files/md5"
    assert cache_inside.cache_types == ["copy"]


def test_braces_in_the_path_are_told(tmp_path: Path):
    folder = tmp_path / "${x}"
    (folder / ".dvc").mkdir(parents=True)
    with pytest.raises(InputError, match=r"DVC cannot work in a folder with \{ or \}"):
        open_repository(folder)


def test_where_dvc_may_not_keep_its_state_it_goes_to_temporary_files(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(KEPT_IN, "put back at the end")
    monkeypatch.delenv(KEPT_IN)
    open_repository(tree)
    assert KEPT_IN not in os.environ
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(os, "access", lambda *_: False)
    repository = open_repository(tree)
    assert Path(os.environ[KEPT_IN]).parent == tmp_path
    assert Path(repository.site_cache_dir).is_relative_to(tmp_path)
