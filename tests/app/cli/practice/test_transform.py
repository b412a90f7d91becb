from pathlib import Path

import numpy as np
import pytest

from embspace.measure.practice import transforms as module
from tests.app.cli.call import call


def test_the_command_answers_of_vectors_and_writes_the_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, "N_HALVES", 4)
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(60, 6)))
    change = ("--save", str(tmp_path / "c.npz"), "--change", "whitened")
    said = call("transform", str(tmp_path / "x.npy"), *change, "--results", str(tmp_path / "out"))
    assert said.exit_code == 0, said.stderr
    assert "anisotropy: mean cosine of two texts, and less the raw vectors" in said.stdout
    assert (tmp_path / "out/effects.csv").is_file()
    with np.load(tmp_path / "c.npz") as file:
        assert file["matrix"].shape == (6, 6)


def test_a_change_is_named_to_be_saved():
    said = call("transform", "x.npy", "--change", "whitened")
    assert said.stderr == "error: --change: found without --save, allowed: with it\n"
