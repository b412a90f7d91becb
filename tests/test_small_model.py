"""Tests of the small model of .ci/layers-and-training; the numbers themselves are CI's matter."""

import shutil
from pathlib import Path

import pytest

from embspace.app.check import check_settings
from tests.workspace import Workspace

CHANGED = "results/direction/profiles/small_model.csv"


@pytest.fixture
def workspace(root: Path, tmp_path: Path) -> Workspace:
    """A tree as the script makes it, in which the results are the baselines."""
    tree = Workspace(root, tmp_path)
    small = root / ".ci/small_model"
    for given in ("data/published", "pipeline", "results"):
        shutil.rmtree(tmp_path / given)
    (tmp_path / "dvc.yaml").unlink()
    shutil.copy(small / "params.yaml", tmp_path)
    shutil.copytree(small / "conf", tmp_path / "conf", dirs_exist_ok=True)
    for folder in ("results", "tests/baselines"):
        shutil.copytree(small / "baselines", tmp_path / folder)
    shutil.copy(root / "tests/baselines/tolerances.yaml", tmp_path / "tests/baselines")
    return tree


def test_its_settings_fit(workspace: Workspace, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(workspace.folder)
    said = [line for problem in check_settings() for line in problem.splitlines()]
    assert not [line for line in said if "small" in line and "step_" not in line]


def test_its_baselines_cover_families_blocks_and_checkpoints(workspace: Workspace):
    assert "passed: nothing is beyond tolerance" in workspace.run("embspace", "verify")
    nouns = {path.name for path in (workspace.folder / "results").iterdir()}
    families = {"direction", "spectrum", "context", "hubs", "intrinsic_dimension"}
    blocks = {"information_stream", "layer_roles", "query_key_form"}
    assert nouns == families | blocks | {"checkpoints", "dynamics", "head_dynamics"}


def test_a_number_that_changes_fails(workspace: Workspace):
    table = workspace.folder / CHANGED
    header, first, *others = table.read_text().splitlines(keepends=True)
    cells = first.split(",")
    column = header.split(",").index("value")
    cells[column] = str(1.1 * float(cells[column]))
    table.write_text("".join([header, ",".join(cells), *others]))
    said = workspace.run("embspace", "verify", check=False)
    assert "1 drifted" in said
    assert "FAILED: facts beyond tolerance: 1" in said


def test_results_that_nobody_computed_fail(workspace: Workspace):
    assert "results from git" in workspace.run("embspace", "verify", "--computed", check=False)
