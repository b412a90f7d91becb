"""`embspace tokens` shows what comes back, and writes all rows."""

from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from tests.app.cli.call import call


class Answer(SimpleNamespace):
    table = pd.DataFrame({"id": [0], "token": ["a"]})

    def __str__(self) -> str:
        return "answer"


def test_rows_are_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr("embspace.loaded.model.load", lambda name, root: name)
    monkeypatch.setattr("embspace.app.practice.tokens.tokens_of", lambda model: Answer())
    file = tmp_path / "tokens.csv"
    shown = call("tokens", "minilm", "--csv", str(file))
    assert shown.output == "answer\n"
    assert file.read_text() == "id,token\n0,a\n"


def test_an_unknown_model_is_refused():
    shown = call("tokens", "no_such_model")
    assert shown.exit_code == 1 and "no_such_model" in shown.stderr
