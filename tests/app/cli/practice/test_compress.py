from pathlib import Path

import numpy as np

from tests.app.cli.call import call


def test_the_command_answers_of_vectors_and_writes_tables(tmp_path: Path):
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(60, 16)))
    options = ("--lost", "0.2", "--results", str(tmp_path / "out"))
    said = call("compress", str(tmp_path / "x.npy"), *options)
    assert said.exit_code == 0, said.stderr
    assert said.stdout.startswith("x.npy: 60 texts, 16 coordinates, of which ")
    assert "loses less than 20 % of neighbors" in said.stdout
    assert {file.name for file in (tmp_path / "out").iterdir()} == {
        "kept.csv",
        "shape.csv",
        "first.csv",
    }


def test_too_few_coordinates_are_an_error(tmp_path: Path):
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(60, 4)))
    said = call("compress", str(tmp_path / "x.npy"))
    assert said.exit_code == 1 and "4 coordinates, allowed: 8 or more" in said.stderr
