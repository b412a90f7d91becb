"""The books are those of DVC: `dvc repro` afterwards finds nothing to do."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from embspace.app.repro.bookkeeping import _mend_lock_of_files, collect_stages, open_books
from embspace.errors import InputError
from embspace.settings.pipeline import graph_files, stage_names
from embspace.settings.schema import read_yaml
from tests.app.repro.conftest import Run, Write

CHAPTER = "pipeline/two/dvc.yaml"


def test_dvc_finds_all_up_to_date_and_writes_the_same_locks(tree: Path, write: Write, run: Run):
    (tree / "params.yaml").write_text("seed: 3\n")
    write(
        one={"cmd": "grep seed params.yaml > one", "params": ["seed"], "outs": ["one"]},
        folder={"cmd": "mkdir -p made && cp one made/b", "deps": ["one"], "outs": ["made"]},
    )
    write(
        CHAPTER,
        table={
            "wdir": "../..",
            "cmd": "cp made/b table.csv",
            "deps": ["made"],
            "outs": [{"table.csv": {"cache": False}}],
        },
    )
    run()
    ours = {lock: (tree / lock).read_bytes() for lock in graph_files(tree, "dvc.lock")}
    assert len(ours) == 2
    repro = [sys.executable, "-m", "dvc", "repro", "--all-pipelines"]
    said = subprocess.run(repro, cwd=tree, check=True, capture_output=True, text=True).stdout
    assert "Running" not in said and "Data and pipelines are up to date." in said
    subprocess.run([*repro, "--force"], cwd=tree, check=True, capture_output=True)
    assert {lock: (tree / lock).read_bytes() for lock in ours} == ours


def test_needs_are_those_of_the_targets_alone(tree: Path, write: Write):
    write(
        one={"cmd": "echo > one", "outs": ["one"]},
        two={"cmd": "cp one two", "deps": ["one"], "outs": ["two"]},
        three={"cmd": "cp two three", "deps": ["two"], "outs": ["three"]},
        other={"cmd": "exit 1", "always_changed": True},
    )
    with open_books(tree, ["two"]) as books:
        assert books.needs == {"one": set(), "two": {"one"}}
    with open_books(tree, []) as books:
        assert books.needs.keys() == {"one", "two", "three", "other"}


def test_an_output_that_is_not_made_is_named(tree: Path, write: Write, run: Run):
    write(one={"cmd": "true", "outs": ["made"]})
    with pytest.raises(InputError, match=r"^one: .*made"):
        run()
    assert not (tree / "dvc.lock").exists()


def test_a_graph_that_does_not_fit_is_an_error_of_the_user(tree: Path, write: Write, run: Run):
    write(one={"cmd": "true", "outs": ["a"]}, two={"cmd": "true", "outs": ["a"]})
    with pytest.raises(InputError, match="'a'"):
        run()
    with pytest.raises(InputError, match="three"):
        run("three")


def test_all_stages_are_those_that_dvc_makes_of_params(root: Path, tree: Path):
    for graph in graph_files(root):
        (tree / graph).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / graph, tree / graph)
    shutil.copytree(root / "conf", tree / "conf")
    params = read_yaml(root / "params.yaml")
    params |= {"models": ["one", "two"], "profiled": ["one"], "checkpointed": ["two"]}
    params |= {"trained": ["run"], "run_pages": ["all_runs"]}
    params |= {"compared": {"one--two": {"model": "one", "other_model": "two"}}}
    (tree / "params.yaml").write_text(yaml.safe_dump(params))
    by_dvc = {stage.name for stage in collect_stages(tree, [])}
    assert stage_names(tree, params) == by_dvc
    expected = {"measure_spectrum@one", "compare_alignment@one--two"}
    assert expected | {"draw_runs@all_runs"} <= by_dvc


def test_a_lock_that_cannot_be_written_stays_as_it_was(
    tree: Path, write: Write, run: Run, monkeypatch: pytest.MonkeyPatch
):
    write(one={"cmd": "echo 1 > one", "outs": ["one"]})
    run()
    before = (tree / "dvc.lock").read_bytes()

    def write_text(path: Path, *_: object, **__: object) -> None:
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    with open_books(tree, []) as books:
        books.begin("one", restore=False)
        (tree / "one").write_text("2")
        books.finish("one")
        with monkeypatch.context() as patch:
            patch.setattr(Path, "write_text", write_text)
            with pytest.raises(InputError, match="dvc.lock: cannot be written: No space left"):
                books.write_locks()
        assert (tree / "dvc.lock").read_bytes() == before
        assert books.write_locks() == ["one"]  # what is not written is kept
    assert (tree / "dvc.lock").read_bytes() != before


def test_a_stage_that_another_command_of_dvc_runs_is_named(tree: Path, write: Write, run: Run):
    write(
        one={
            "cmd": "echo > at_work; while [ ! -e go ]; do sleep .05; done; echo > one",
            "outs": ["one"],
        }
    )
    with subprocess.Popen([sys.executable, "-m", "dvc", "repro"], cwd=tree) as process:
        while not (tree / "at_work").exists():
            assert process.poll() is None
            time.sleep(0.02)
        with pytest.raises(InputError, match="^one: "):
            run()
        (tree / "go").touch()
        assert process.wait(60) == 0


@pytest.mark.parametrize(("text", "is_left"), [("{", False), ("", False), ("{}", True)])
def test_half_a_list_of_files_in_use_stops_no_later_run(tmp_path: Path, text: str, is_left: bool):
    file = tmp_path / "rwlock"
    file.write_text(text)
    _mend_lock_of_files(file)
    assert file.exists() == is_left
    _mend_lock_of_files(tmp_path / "absent")
