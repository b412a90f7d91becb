"""The root of a tree is found from inside of it, or from where embspace is installed."""

from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.settings.roots import enclosing_root, find_root


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("conf/model", "data/texts"):
        (tmp_path / "tree" / name).mkdir(parents=True)
    for name in ("dvc.yaml", "params.yaml", "data/texts/c.txt"):
        (tmp_path / "tree" / name).write_text("")
    return tmp_path / "tree"


def test_the_tree_is_where_one_stands_or_above(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(root / "data/texts")
    assert find_root() == root
    assert enclosing_root(root / "data/texts/c.txt") == root
    assert enclosing_root(root.parent) is None


def test_or_else_the_one_that_embspace_is_installed_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    assert (find_root() / "src/embspace/settings/roots.py").is_file()


def test_outside_of_any_tree_that_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("embspace.settings.roots.__file__", str(tmp_path / "x.py"))
    with pytest.raises(InputError, match="is not in an embspace tree"):
        find_root()
