from pathlib import Path

import pytest


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree that knows no model."""
    folder = tmp_path / "tree"
    (folder / "conf/model").mkdir(parents=True)
    return folder
