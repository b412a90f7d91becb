import shutil
from pathlib import Path

import pytest

from embspace.app.page.copies import copy_whole
from embspace.errors import InputError


def test_a_full_disk_leaves_the_old_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    source, target = tmp_path / "new.csv", tmp_path / "results/old.csv"
    source.write_text("first")
    copy_whole(source, target)

    def full(source: Path, partial: Path) -> None:
        partial.write_text("fi")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(InputError, match=r"old\.csv: cannot be written: No space left"):
        copy_whole(source, target)
    assert [each.read_text() for each in target.parent.iterdir()] == ["first"]
