"""Tests of `embspace.app.cli.corpora`: `corpus`; whole runs are in tests/stream/test_run.py."""

from pathlib import Path

import pytest

from tests.app.cli.call import call


def test_an_unknown_corpus_is_named(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    said = call("corpus", "nowhere")
    assert said.exit_code == 1
    assert "nowhere: no corpus of conf/corpus/, and no file or folder" in said.output
