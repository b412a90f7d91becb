"""More of it in test_working_tree.py, where it runs as it does for a user."""

import platform
import shutil
import sys
from pathlib import Path

import pytest
import yaml

from embspace.app.repro import HEAP, KERNELS, Step, collect_stages, run_repro, stages_of
from embspace.app.warm.python import COLD, SERVER
from embspace.errors import InputError
from embspace.settings.pipeline import graph_files
from embspace.settings.schema import read_yaml
from tests.parent_module import write_parent_module


@pytest.fixture
def run(tmp_path: Path):
    """Run stages in a folder without git; the steps that were told."""
    (tmp_path / ".dvc").mkdir()
    (tmp_path / ".dvc/config").write_text("[core]\n    no_scm = true\n    analytics = false\n")

    def steps(stages: dict[str, dict[str, object]], *targets: str) -> list[Step]:
        (tmp_path / "dvc.yaml").write_text(yaml.safe_dump({"stages": stages}))
        with (tmp_path / "lock").open("w") as held:
            return list(run_repro(tmp_path, targets, tmp_path / "log", held=held.fileno()))

    return steps


def test_only_what_a_target_needs_runs_and_only_once(run, tmp_path: Path):
    stages: dict[str, dict[str, object]] = {
        "first": {"cmd": "echo said; echo 1 > one", "outs": ["one"]},
        "second": {"cmd": "cp one two", "deps": ["one"], "outs": ["two"]},
        "other": {"cmd": "exit 1"},
    }
    assert run(stages, "second") == [Step("first", True), Step("second", True)]
    assert "said" in (tmp_path / "log").read_text()
    assert run(stages, "second") == [Step("first", False), Step("second", False)]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere each stage starts by itself")
def test_stages_are_forks_of_a_process_that_has_the_libraries(
    run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv(COLD, raising=False)
    write_parent_module(tmp_path)
    run({"one": {"cmd": "PYTHONPATH=. python -m parent > said", "always_changed": True}})
    assert str(SERVER) in (tmp_path / "said").read_text()


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the kernels are those of x86-64")
@pytest.mark.parametrize("name", KERNELS)
def test_a_stage_has_the_kernels_of_make_unless_the_user_names_others(
    name: str, run, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    assert f"export {name} ?= {KERNELS[name]}\n" in (root / "Makefile").read_text()
    stage = {"one": {"cmd": f"echo ${name} > kernel", "always_changed": True}}
    monkeypatch.delenv(name, raising=False)
    run(stage)
    assert (tmp_path / "kernel").read_text() == f"{KERNELS[name]}\n"
    monkeypatch.setenv(name, "Zen")
    run(stage)
    assert (tmp_path / "kernel").read_text() == "Zen\n"


def test_a_stage_keeps_its_memory_as_under_make_unless_the_user_says_otherwise(
    run, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    makefile = (root / "Makefile").read_text()
    for name, value in HEAP.items():
        assert f"export {name} ?= {value}\n" in makefile
        monkeypatch.delenv(name, raising=False)
    command = "echo $MALLOC_MMAP_THRESHOLD_ $MALLOC_TRIM_THRESHOLD_ > heap"
    stage = {"one": {"cmd": command, "always_changed": True}}
    run(stage)
    assert (tmp_path / "heap").read_text().split() == list(HEAP.values())
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "1")
    run(stage)
    assert (tmp_path / "heap").read_text().split()[1] == "1"


def test_the_words_of_the_stage_that_failed_are_the_error(run):
    with pytest.raises(InputError, match=r"^no\n  way$"):
        run({"one": {"cmd": r"printf 'error: no\n  way\n'; exit 1"}})
    with pytest.raises(InputError, match=r"(?s)^the pipeline failed:.*\nhm\n.*log$"):
        run({"one": {"cmd": "echo hm; exit 1"}})


def test_all_stages_are_those_that_dvc_makes_of_params(root: Path, tmp_path: Path):
    for graph in graph_files(root):
        (tmp_path / graph).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / graph, tmp_path / graph)
    shutil.copytree(root / "conf", tmp_path / "conf")
    (tmp_path / ".dvc").mkdir()
    (tmp_path / ".dvc/config").write_text("[core]\n    no_scm = true\n    analytics = false\n")
    params = read_yaml(root / "params.yaml")
    params |= {"models": ["one", "two"], "profiled": ["one"], "checkpointed": ["two"]}
    params |= {"trained": ["run"], "compared": {"one--two": {"model": "one", "other_model": "two"}}}
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params))
    by_dvc = {stage.name for stage in collect_stages(tmp_path, [])}
    assert stages_of(tmp_path, []) == by_dvc
    assert {"measure_profiles@one-spectrum", "compare_alignment@one--two"} <= by_dvc
