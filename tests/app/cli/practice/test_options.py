from pathlib import Path

import pandas as pd
import pytest

from embspace.app.cli.practice.options import of_model, show
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


def test_the_model_and_its_place_are_arguments():
    assert of_model("m", 3, None, "x.npy") == {
        "model": "m",
        "layer": 3,
        "pooling": None,
        "vectors": "x.npy",
    }
