"""Tests of `benchmarks.repro`."""

import subprocess
from pathlib import Path

import pytest

from benchmarks.repro import Run, cold_and_no_op, page
from embspace.errors import InputError

GRAPH = """stages:
  copy:
    cmd: cp given.txt found.txt
    deps: [given.txt]
    outs:
      - found.txt: {cache: false}
  sort:
    cmd: sort found.txt > sorted.txt
    deps: [found.txt]
    outs: [sorted.txt]
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of two stages that have run, whose cache is not empty."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "pipeline/small"
    folder.mkdir(parents=True)
    (folder / "dvc.yaml").write_text(GRAPH, encoding="utf-8")
    (folder / "given.txt").write_text("2\n1\n", encoding="utf-8")
    for command in ("git init --quiet", "dvc init --quiet", "dvc repro --quiet -P", "git add ."):
        subprocess.run(command.split(), check=True)
    identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    subprocess.run(["git", *identity, "commit", "--quiet", "-m", "a"], check=True)
    return folder


@pytest.mark.slow
def test_cold_runs_all_stages_and_then_there_is_nothing_to_do(tree: Path) -> None:
    assert (tree / "found.txt").is_file()
    found = cold_and_no_op("small")
    assert (found["cold"].n_stages, found["nothing to do"].n_stages) == (2, 0)
    assert all(min(run.seconds, run.processor_seconds) > 0 for run in found.values())


@pytest.mark.slow
def test_a_stage_that_fails_is_told(tree: Path) -> None:
    subprocess.run(["git", "rm", "--quiet", "--cached", tree / "given.txt"], check=True)
    identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    subprocess.run(["git", *identity, "commit", "--quiet", "-m", "b"], check=True)
    with pytest.raises(InputError, match=r"(?s)small/dvc.yaml failed:.*given\.txt"):
        cold_and_no_op("small")


def test_the_page_says_what_is_covered() -> None:
    found = {"cold": Run(70.25, 80, 9), "nothing to do": Run(1.5, 1.4, 0)}
    text = page(found, "positional", 0.5)
    assert "| cold | 9 | 70.2 | 80.0 |" in text and "load was 0.5" in text
    assert "the chapter `positional`" in text and "all chapters" in page(found, "all", 0.5)
