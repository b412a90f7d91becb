from pathlib import Path

import numpy as np
import pytest

from tests.app.cli.call import call


def test_the_command_answers_of_vectors_and_writes_tables(tmp_path: Path):
    file = tmp_path / "x.npy"
    np.save(file, np.random.default_rng(0).normal(size=(60, 8)))
    said = call("threshold", str(file), "--results", str(tmp_path / "out"), "--texts", "500")
    assert said.exit_code == 0, said.stderr
    assert said.stdout.startswith("x.npy: 1,770 pairs of 60 documents\n")
    assert "expected among 500 such texts: " in said.stdout
    assert {file.name for file in (tmp_path / "out").iterdir()} == {
        "rates.csv",
        "fixed.csv",
        "pairs.csv",
        "lengths.csv",
    }


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (np.full((5, 3), np.nan), "NaN"),
        (np.zeros((5, 3)), "x.npy: found 5 vectors of length 0"),
        (np.eye(5)[:1], "allowed: (row, dim), two or more of each"),
        (np.array(list("abcde")), "allowed: floating-point or integers"),
    ],
)
def test_bad_vectors_are_refused_in_one_line(tmp_path: Path, content: np.ndarray, message: str):
    np.save(tmp_path / "x.npy", content)
    said = call("threshold", str(tmp_path / "x.npy"))
    assert said.exit_code == 1 and message in said.stderr
    assert said.stderr.count("\n") == 1
