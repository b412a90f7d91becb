from pathlib import Path

import numpy as np
import pytest

from embspace.app.practice import drift as module
from tests.app.cli.call import call


def test_two_files_of_vectors_are_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "N_PERMUTATIONS", 19)
    x = np.random.default_rng(0).normal(size=(60, 6))
    np.save(tmp_path / "a.npy", x[:30])
    np.save(tmp_path / "b.npy", x[30:] + 5)
    out = tmp_path / "out"
    said = call("drift", str(tmp_path / "a.npy"), str(tmp_path / "b.npy"), "--results", str(out))
    assert said.exit_code == 0, said.stderr
    assert "\napart: p = 0.050" in said.stdout
    assert {file.stem for file in out.iterdir()} == {
        *("distance", "texts", "clusters", "directions", "words")
    }


def test_two_versions_of_vectors_are_compared(tmp_path: Path):
    np.save(tmp_path / "a.npy", np.random.default_rng(0).normal(size=(40, 6)))
    said = call("drift", str(tmp_path / "a.npy"), "--other-vectors", str(tmp_path / "a.npy"))
    assert said.exit_code == 0, said.stderr
    assert "keeps 1.0000 (1.0000 to 1.0000)" in said.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "A: found nothing"),
        (["a.csv", "--against", "c.json"], "--against: found beside texts"),
        (["--against", "c.json", "--layer", "1"], "--against: found beside --layer"),
        (["--against", "c.json", "--pooling", "cls"], "--against: found beside --pooling"),
        (["a.csv", "b.csv", "--save", "c.json"], "--save: found beside B"),
        (["a.csv", "--save", "c.json", "--results", "r"], "--save: found beside --results"),
        (["a.csv", "--save", "c.json", "--vectors", "v.npy"], "--save: found beside --vectors"),
        (["a.csv", "b.csv", "--other-model", "m"], "B: found beside a second version"),
    ],
)
def test_what_does_not_go_together_is_refused(arguments: list[str], message: str):
    said = call("drift", *arguments)
    assert said.exit_code == 1 and message in said.stderr
