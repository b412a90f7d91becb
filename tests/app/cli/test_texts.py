from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.app.cli.call import call


def test_a_layer_is_chosen_on_texts_that_are_read_as_told(
    root: Path, monkeypatch: pytest.MonkeyPatch
):
    passed_on: dict[str, Any] = {}
    monkeypatch.chdir(root)

    def describe(*_: str, **options: Any) -> SimpleNamespace:
        passed_on.update(options)
        return SimpleNamespace(own=True)

    monkeypatch.setattr("embspace.app.reporting.subject.describe_subject", describe)
    monkeypatch.setattr(
        "embspace.app.layer.choose_layer", lambda _, place, say: Path(place).name[0] + "b\x1b"
    )
    options = ("--separator", ";", "--skip-empty", "--label-column", "b")
    said = call("layer", "m", "--corpus", "a.csv", *options)
    assert (said.exit_code, said.stdout) == (0, "ab\\x1b\n")
    reading = {"separator": ";", "skip_empty": True, "group_column": "b"}
    assert passed_on == {"reading": reading}
    said = call("layer", "a b.csv", *options, "--model", "m")
    assert said.stdout == "ab\\x1b\n"
    assert said.stderr == "the model comes first: embspace layer m --corpus 'a b.csv'\n"
    given = ("--allow-unused", "*.x", "--tokenizer", str(root / "conf"))
    assert call("layer", "a.csv", *given).exit_code == 0
    tokenizer = {"source": "path", "path": str(root / "conf")}
    assert passed_on["given"] == {"allow_unused": ["*.x"], "tokenizer": tokenizer}


def test_a_sample_is_drawn_as_asked_and_told(monkeypatch: pytest.MonkeyPatch):
    passed_on: dict[str, Any] = {}

    def sample_pages(corpus: str, **options: Any) -> list[str]:
        passed_on.update(options, corpus=corpus)
        return ["drawing", "written"]

    monkeypatch.setattr("embspace.app.sample.sample_pages", sample_pages)
    said = call("sample", "wikipedia", "--n-pages", "3", "--seed", "4")
    assert (said.exit_code, said.stdout) == (0, "drawing\nwritten\n")
    assert passed_on == {"corpus": "wikipedia", "n_pages": 3, "seed": 4, "largest_id": None}
    assert call("sample", "wikipedia", "--n-pages", "0", "--seed", "4").exit_code == 2
