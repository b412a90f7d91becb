from pathlib import Path

import pytest

from tests.verify.tree import make_tree


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tree of `make_tree`, as the current folder."""
    monkeypatch.chdir(tmp_path)
    make_tree()
    return tmp_path
