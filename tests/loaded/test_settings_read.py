"""Settings are parsed once, and again when their file has changed."""

from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.loaded import settings_read
from embspace.loaded.settings_read import settings_in


def test_a_file_is_parsed_once_and_anew_when_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    parsed = list[Path]()
    read = settings_read.read_yaml
    monkeypatch.setattr(settings_read, "read_yaml", lambda path: parsed.append(path) or read(path))
    file = tmp_path / "some.yaml"
    file.write_text("length: 5\n")
    assert settings_in(file) == settings_in(file) == {"length": 5}
    assert parsed == [file]
    file.write_text("length: 17\n")
    assert settings_in(file) == {"length": 17}


def test_a_file_that_is_not_there_is_told(tmp_path: Path):
    with pytest.raises(InputError, match="not found"):
        settings_in(tmp_path / "none.yaml")
