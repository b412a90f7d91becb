"""A run whose table is left to git is taken back, in a pipeline of the same form as embspace's."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from embspace.app import remember
from embspace.app.remember import remember_runs

MEASURE = (
    "echo ran >> log && mkdir -p results data && grep seed params.yaml > results/a.csv && "
    "cp results/a.csv results/a.json && cp results/a.csv data/a.bin"
)
STAGES = {
    "measure_a": {
        "cmd": MEASURE,
        "deps": ["src"],
        "params": ["seed"],
        "outs": [{"results/a.csv": {"cache": False}}, "data/a.bin"],
        "metrics": [{"results/a.json": {"cache": False}}],
    },
    "draw_a": {
        "cmd": "echo drew >> log && cp results/a.csv a.md && cp a.md a.png",
        "deps": ["results/a.csv"],
        "outs": [{"a.md": {"cache": False}}],
        "plots": [{"a.png": {"cache": False}}],
    },
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / ".dvc").mkdir()
    (tmp_path / ".dvc/config").write_text("[core]\n    no_scm = true\n    analytics = false\n")
    (tmp_path / "src").write_text("code")
    (tmp_path / "dvc.yaml").write_text(yaml.safe_dump({"stages": STAGES}))
    return tmp_path


def repro(tree: Path, seed: int) -> int:
    """Run what `dvc repro` finds to do with a seed; how many stages have run up to now."""
    (tree / "params.yaml").write_text(f"seed: {seed}\n")
    command = [sys.executable, "-m", "dvc", "repro"]
    subprocess.run(command, cwd=tree, check=True, capture_output=True)
    return len((tree / "log").read_text().splitlines())


def test_a_seed_that_was_used_before_is_taken_back_and_not_computed(tree: Path):
    assert repro(tree, 0) == 2
    assert remember_runs(tree) == 2
    assert repro(tree, 1) == 4
    assert [remember_runs(tree), remember_runs(tree)] == [2, 0]
    for seed in (0, 1):
        assert repro(tree, seed) == 4
        for file in ("results/a.csv", "results/a.json", "data/a.bin", "a.md", "a.png"):
            assert (tree / file).read_text() == f"seed: {seed}\n"


def test_a_table_that_was_edited_is_no_result(tree: Path):
    repro(tree, 0)
    (tree / "results/a.csv").write_text("edited")
    assert remember_runs(tree) == 1


def test_only_stages_that_ran_since_are_looked_at(tree: Path, monkeypatch: pytest.MonkeyPatch):
    repro(tree, 0)
    remember_runs(tree)
    (tree / "params.yaml").write_text("seed: 0\n")
    (tree / "results/a.csv").write_text("edited")
    subprocess.run([sys.executable, "-m", "dvc", "repro", "-sf", "draw_a"], cwd=tree, check=True)
    looked_at: list[str] = []
    monkeypatch.setattr(remember, "_is_forgotten", lambda stage: looked_at.append(stage.name))
    assert remember_runs(tree) == 0
    assert looked_at == ["draw_a"]


@pytest.mark.parametrize("text", ["", "not JSON", "[1, 2]"])
def test_a_mark_that_cannot_be_read_lets_all_be_looked_at(tree: Path, text: str):
    repro(tree, 0)
    (tree / ".cache").mkdir()
    (tree / remember.REMEMBERED).write_text(text)
    assert remember_runs(tree) == 2
