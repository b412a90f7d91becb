from pathlib import Path

import numpy as np

from tests.app.cli.call import call


def test_the_command_answers_of_vectors_and_writes_tables(tmp_path: Path):
    x = np.random.default_rng(0).normal(size=(140, 8)) + 3
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", np.vstack([x[:4] + 0.1, -x[:1]]))
    place, out = str(tmp_path / "x.npy"), str(tmp_path / "out")
    said = call("outliers", place, "--of", str(tmp_path / "y.npy"), "--results", out)
    assert said.exit_code == 0, said.stderr
    assert "y.npy: 5 texts, among x.npy, 10 nearest by cosine\n1 outlier at" in said.stdout
    assert "least p of 140 documents: 0.0071; adjusted for 5 texts" in said.stdout
    assert {file.name for file in Path(out).iterdir()} == {"texts.csv", "kinds.csv"}


def test_too_many_neighbors_are_an_error(tmp_path: Path):
    np.save(tmp_path / "x.npy", np.eye(8))
    said = call("outliers", str(tmp_path / "x.npy"))
    assert said.exit_code == 1 and "k (--neighbors): found 10, allowed: 1 to 7" in said.stderr
