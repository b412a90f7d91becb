"""The command that makes a study says what to type next."""

from pathlib import Path

import pytest

from tests.app.cli.call import call


def test_it_says_what_to_type_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(
        "embspace.app.init.write_own_study", lambda folder, model, corpus: f"cd {folder}"
    )
    monkeypatch.chdir(tmp_path)
    result = call("init", "mine", "--model", "minilm")
    assert result.exit_code == 0
    assert result.stdout == f"cd {tmp_path / 'mine'}\n"
