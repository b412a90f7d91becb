from pathlib import Path

import numpy as np
import pytest

from embspace.measure.practice import text_hubs
from tests.app.cli.call import call


def test_the_command_answers_of_vectors_and_writes_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(text_hubs, "N_NULL", 3)
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(60, 8)))
    said = call("hubs", str(tmp_path / "x.npy"), "--results", str(tmp_path / "out"))
    assert said.exit_code == 0, said.stderr
    assert said.stdout.startswith("x.npy: 60 texts, 10 neighbors of each by cosine\n")
    names = {file.name for file in (tmp_path / "out").iterdir()}
    assert names == {"hubness.csv", "texts.csv", "tasks.csv"}


def test_too_few_vectors_are_an_error(tmp_path: Path):
    np.save(tmp_path / "x.npy", np.eye(5))
    said = call("hubs", str(tmp_path / "x.npy"))
    assert said.exit_code == 1
    assert said.stderr.startswith("error: x.npy: found 5 texts with a direction")
