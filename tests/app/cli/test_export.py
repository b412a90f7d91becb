"""`embspace export` writes into the folder that the command was called in, or another."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.app.cli.call import call


def test_own_vectors_are_written_with_their_labels(tmp_path: Path):
    x = np.eye(3, dtype=np.float32)
    np.save(tmp_path / "own.npy", x)
    (tmp_path / "names.csv").write_text("label\na\nb\nc\n")
    given = ("--labels", str(tmp_path / "names.csv"), "--folder", str(tmp_path))
    said = call("export", str(tmp_path / "own.npy"), "--to", "parquet", *given)
    path, then = said.stdout.splitlines()
    assert path == str(tmp_path / "own.parquet") and then.startswith("next: ")
    assert pd.read_parquet(path)["label"].tolist() == ["a", "b", "c"]


def test_what_is_no_space_is_refused():
    said = call("export", "minilm", "inputs", "--to", "parquet")
    assert said.exit_code == 1 and "allowed: input, positional" in said.stderr
    assert "parquet" in call("export", "minilm", "input", "--to", "csv").stderr
    said = call("export", "minilm", "input", "--to", "parquet", "--labels", "a.csv")
    assert "--labels: found beside 'input'" in said.stderr


def test_a_home_of_nobody_is_told(tmp_path: Path):
    np.save(tmp_path / "own.npy", np.eye(3))
    given = ("--to", "parquet", "--folder", "~nobody_is_called_so/a")
    said = call("export", str(tmp_path / "own.npy"), *given)
    assert said.exit_code == 1 and "'~nobody_is_called_so', which is no user" in said.stderr


def test_an_option_that_says_nothing_of_the_space_is_refused(tmp_path: Path):
    np.save(tmp_path / "own.npy", np.eye(3))
    given = ("--to", "parquet", "--folder", str(tmp_path))
    for option, value in (("model", "minilm"), ("corpus", "articles"), ("layer", "2")):
        said = call("export", str(tmp_path / "own.npy"), *given, f"--{option}", value)
        assert said.exit_code == 1 and f"--{option}: found beside" in said.stderr
    said = call("export", "minilm", str(tmp_path / "own.npy"), *given)
    assert said.exit_code == 1 and "found minilm beside a file" in said.stderr
    said = call("export", "minilm", "tokens", *given, "--pooling", "cls")
    assert "--pooling: found beside 'tokens', allowed: beside texts" in said.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["own.npy"]


def test_the_older_order_works_with_a_line_that_says_what_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    spaces: list[tuple[str, str]] = []
    monkeypatch.setattr(
        "embspace.app.export.spaces.learned_space", lambda *given: spaces.append(given)
    )
    monkeypatch.setattr("embspace.app.export.formats.export_space", lambda *given: [])
    given = ("--to", "parquet", "--folder", str(tmp_path))
    old, older = ("input", "--model", "minilm"), ("input",)
    for words in (old, older):
        said = call("export", *words, *given).stderr
        assert said == "the model comes first: embspace export minilm input\n"
    assert call("export", "minilm", "input", *given).stderr == ""
    assert spaces == [("minilm", "input")] * 3
