from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

from embspace.app.cli.practice.options import on_corpus, show
from embspace.app.practice.answers import Answer


def test_an_answer_is_printed_and_its_tables_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    answer = Answer("a\x1bb", "A sentence.", {"rates": pd.DataFrame({"x": [1]})})
    show(answer, None)
    assert capsys.readouterr() == ("a\\x1bb\n\nA sentence.\n", "")
    show(answer, tmp_path)
    assert capsys.readouterr().err == f"tables in {tmp_path}\n"
    assert (tmp_path / "rates.csv").is_file()


def test_a_command_has_the_shared_options_and_its_own():
    given: dict[str, Any] = {}

    def lengths(question: Mapping[str, Any], longest: int = 3) -> Answer:
        """Say how long texts are."""
        given.update(question, longest=longest)
        return Answer("long", "A sentence.", {})

    app = typer.Typer()
    app.command()(on_corpus(lengths))
    call = [*("a.csv", "--longest", "5", "--layer", "2", "--label-column", "topic")]
    result = CliRunner().invoke(app, call)
    assert result.exit_code == 0 and result.output == "long\n\nA sentence.\n"
    assert given == {
        "corpus": "a.csv",
        "reading": {"group_column": "topic"},
        "model": None,
        "layer": 2,
        "pooling": None,
        "vectors": None,
        "longest": 5,
    }
    app = typer.Typer()
    app.command()(on_corpus(lengths, with_labels=False))
    assert CliRunner().invoke(app, call).exit_code == 2
