from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawn tables are saved in a folder of the test's own, the current one."""
    monkeypatch.chdir(tmp_path)
