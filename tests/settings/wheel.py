"""What a wheel brings along, without a wheel."""

from pathlib import Path

import pytest

from embspace.files.copies import copy_file, mirror_folder
from embspace.settings.study import FILES, FOLDERS, LOCKED


@pytest.fixture
def wheel(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of a study as in a wheel, which this embspace takes for its own."""
    folder = tmp_path / "wheel"
    for name in FOLDERS:
        mirror_folder(root / name, folder / name)
    for name in (*FILES, LOCKED):
        copy_file(root / name, folder / name)
    monkeypatch.setattr("embspace.settings.study.IN_WHEEL", folder)
    return folder
