"""Stages that do not hang on each other run at once; whatever ends a run, nothing is lost."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from embspace.app.repro import side_by_side
from embspace.app.repro.side_by_side import FORCED, HELD, Step, run_side_by_side
from embspace.errors import InputError
from tests.app.repro.conftest import Run, Write, kinds

SRC = Path(__file__).parents[3] / "src"
# Waits until two of its kind are at work, at most ten seconds.
MEETS = (
    "touch at_$X; for i in $(seq 200); do [ $(ls at_* | wc -l) = 2 ] && break; sleep .05; done; "
)
MEETS += "ls at_* | wc -l > $X"
COMMAND = """
import signal
import sys
from pathlib import Path
from embspace.app.cli.shared.jobs import end_on_signals
from embspace.app.repro.side_by_side import run_side_by_side

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
end_on_signals()
show = lambda stage, line: print(stage, line, flush=True)
for step in run_side_by_side(Path(), [], show, jobs=2, force="force" in sys.argv):
    print(step.stage, step.kind, flush=True)
"""


def stage(name: str, command: str, *deps: str) -> dict[str, object]:
    """Return a stage whose output has its name, and which counts its runs."""
    return {"cmd": f"echo x >> n_{name}; {command}", "deps": [*deps], "outs": [name]}


def n_runs(tree: Path, name: str) -> int:
    file = tree / f"n_{name}"
    return len(file.read_text().splitlines()) if file.exists() else 0


def meeting(name: str) -> dict[str, object]:
    return stage(name, MEETS.replace("$X", name))


@pytest.mark.parametrize(("jobs", "at_once"), [(1, "1"), (2, "2")])
def test_so_many_run_at_once(jobs: int, at_once: str, tree: Path, write: Write, run: Run):
    command = "touch at_$X; sleep .3; ls at_* | wc -l > $X; sleep .3; rm at_$X"
    names = ("a", "b") if jobs == 1 else ()
    write(**{name: stage(name, command.replace("$X", name)) for name in names})
    if jobs == 2:
        write(a=meeting("a"), b=meeting("b"))
    steps = run(jobs=jobs)
    assert [(tree / name).read_text().strip() for name in ("a", "b")] == [at_once] * 2
    beside = [step.running for step in steps if step.kind == "starts"]
    assert beside == ([(), ()] if jobs == 1 else [(), (steps[0].stage,)])


def test_a_stage_waits_for_its_needs(tree: Path, write: Write, run: Run):
    write(
        b=stage("b", "cp a b", "a"),
        a=stage("a", "sleep .3; echo 1 > a"),
        c=stage("c", "cat a b > c", "a", "b"),
    )
    assert [step.stage for step in run(jobs=8) if step.kind == "ends"] == ["a", "b", "c"]
    assert (tree / "c").read_text() == "1\n1\n"


def test_only_what_is_out_of_date_runs_and_counts_say_how_far_it_is(
    tree: Path, write: Write, run: Run
):
    write(a=stage("a", "echo said; echo 1 > a"), b=stage("b", "cp a b", "a"))
    last = run()[-1]
    assert (last.stage, last.kind, last.n_done, last.n_stages) == ("b", "ends", 2, 2)
    assert "a: said" in (tree / "said").read_text()
    assert kinds(run()) == {"a": "current", "b": "current"}
    (tree / "b").write_text("edited")
    assert kinds(run()) == {"a": "current", "b": "cached"}
    assert (tree / "b").read_text() == "1\n"
    assert kinds(run("a")) == {"a": "current"}


def test_a_setting_that_was_used_before_is_taken_back(tree: Path, write: Write, run: Run):
    table = {"cmd": "echo x >> n_t; grep seed params.yaml > t.csv", "params": ["seed"]}
    table |= {"deps": ["code"], "outs": [{"t.csv": {"cache": False}}]}
    drawn = {"cmd": "echo x >> n_d; cp t.csv d", "deps": ["t.csv"], "outs": ["d"]}
    (tree / "code").write_text("1")
    write(t=table, d=drawn)
    for seed, kind in ((0, "ends"), (1, "ends"), (0, "cached"), (1, "cached")):
        (tree / "params.yaml").write_text(f"seed: {seed}\n")
        assert kinds(run()) == {"t": kind, "d": kind}
        assert (tree / "d").read_text() == (tree / "t.csv").read_text() == f"seed: {seed}\n"
    assert kinds(run(force=True)) == {"t": "ends", "d": "ends"}


def test_when_a_stage_fails_others_end_what_they_are_at_and_no_more_starts(
    tree: Path, write: Write, run: Run
):
    write(
        bad=stage("bad", "sleep .2; printf 'error: no\\n  way\\n'; exit 1"),
        slow=stage("slow", "sleep 1; echo 1 > slow"),
        after=stage("after", "cp slow after", "slow"),
    )
    with pytest.raises(InputError, match=r"^stage bad: no\n  way$"):
        run()
    assert [n_runs(tree, name) for name in ("bad", "slow", "after")] == [1, 1, 0]
    write(bad=stage("bad", "echo > bad"), slow=stage("slow", "sleep 1; echo 1 > slow"))
    assert kinds(run()) == {"bad": "ends", "slow": "current"}


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("echo hm; exit 4", r"stage a failed with status 4:\nhm$"),
        ("kill -9 $$", "stage a was ended by signal 9, perhaps for want of memory"),
        ("exit 143", "stage a was ended by signal 15$"),
    ],
)
def test_a_failure_names_stage_and_reason(command: str, words: str, write: Write, run: Run):
    write(a=stage("a", command))
    with pytest.raises(InputError, match=words):
        run()


def test_no_stage_starts_beside_another_without_memory(
    tree: Path, write: Write, run: Run, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=2**20))
    write(a=stage("a", "echo > a"), b=stage("b", "echo > b"))
    assert [step.running for step in run(jobs=8) if step.kind == "starts"] == [(), ()]


def test_whoever_stops_reading_ends_the_stages(tree: Path, write: Write):
    write(a=stage("a", "echo $$ > pid; sleep 600; echo > a"))
    steps = run_side_by_side(tree, [], lambda *_: None, jobs=1)
    assert next(steps).kind == "starts"
    wait_for(tree / "pid")
    steps.close()
    assert not psutil.pid_exists(int((tree / "pid").read_text()))


@pytest.fixture
def command(tree: Path) -> Iterator[list["subprocess.Popen[str]"]]:
    """Commands that a test has started, ended after it with their stages."""
    started: list[subprocess.Popen[str]] = []
    yield started
    (tree / "go").touch()
    for process in started:
        process.kill()
        process.communicate()


def start(tree: Path, started: list["subprocess.Popen[str]"], *options: str):
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, *options],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(SRC)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    started.append(process)
    return process


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 60
    while not path.exists() or not path.read_text():
        assert time.monotonic() < deadline, path
        time.sleep(0.02)


def long_stages() -> dict[str, dict[str, object]]:
    """Return two stages that end at once, and two that wait until `go` is there."""
    waits = "echo $$ > pid_$X; while [ ! -e go ]; do sleep .05; done; echo $X > $X"
    return {
        "quick": stage("quick", "echo 1 > quick"),
        **{name: stage(name, waits.replace("$X", name), "quick") for name in ("one", "two")},
    }


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("option", ["", "force"])
def test_a_run_that_is_ended_goes_on_and_computes_nothing_twice(
    number: signal.Signals, option: str, tree: Path, write: Write, run: Run, command
):
    write(**long_stages())
    process = start(tree, command, option)
    for name in ("one", "two"):
        wait_for(tree / f"pid_{name}")
    process.send_signal(number)
    process.communicate(timeout=60)
    (tree / "go").touch()
    if number == signal.SIGKILL:
        assert process.returncode == -number  # its stages hold the lock until they end
    else:
        assert process.returncode == 128 + number
        for name in ("one", "two"):
            assert not psutil.pid_exists(int((tree / f"pid_{name}").read_text()))
    steps = kinds(run(force=bool(option)))
    assert {steps["one"], steps["two"]} == {"ends"}
    if option and number == signal.SIGKILL:  # what took no time is in no lock yet
        assert steps["quick"] in ("current", "ends")
    else:
        assert (steps["quick"], n_runs(tree, "quick")) in (("current", 1), ("cached", 1))
    assert not (tree / FORCED).exists()


def test_a_second_run_waits_for_the_first(tree: Path, write: Write, command):
    write(**long_stages())
    first = start(tree, command)
    wait_for(tree / "pid_two")
    second = start(tree, command)
    assert second.stdout is not None
    assert "another run is at work there, this one waits for it" in second.stdout.readline()
    (tree / "go").touch()
    said = second.communicate(timeout=60)[0]
    assert first.wait(60) == second.returncode == 0
    assert [line.split()[1] for line in said.splitlines()] == ["current"] * 3
    assert [n_runs(tree, name) for name in long_stages()] == [1, 1, 1]


def test_a_tree_that_cannot_be_written_is_named(tree: Path, write: Write, run: Run):
    write(a=stage("a", "echo > a"))
    (tree / HELD.parent).write_text("a file where a folder should be")
    with pytest.raises(InputError, match=f"{HELD}: cannot be written"):
        run()


def test_what_runs_long_is_named_again(
    tree: Path, write: Write, run: Run, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(side_by_side, "PULSE", 0.02)
    monkeypatch.setattr(side_by_side, "SILENCE", 0.1)
    write(a=stage("a", "sleep 1; echo > a"))
    steps = run()
    assert [step.kind for step in steps][0 :: len(steps) - 1] == ["starts", "ends"]
    seconds = [step.seconds for step in steps if step.kind == "runs"]
    assert len(seconds) >= 2 and seconds == sorted(seconds) and seconds[0] >= 0.1


def test_by_default_there_is_a_job_a_core(
    tree: Path, write: Write, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(side_by_side, "n_cores", lambda: 2)
    write(a=meeting("a"), b=meeting("b"))
    list(run_side_by_side(tree, [], lambda *_: None))
    assert [(tree / name).read_text().strip() for name in ("a", "b")] == ["2", "2"]


def test_the_same_bytes_with_any_number_of_jobs(tree: Path, write: Write, run: Run):
    stages = {f"s{n}": stage(f"s{n}", f"echo {n} > s{n}") for n in range(4)}
    stages["all"] = stage("all", "cat s* > all", *stages)
    write(**stages)
    locks = []
    for jobs in (1, 2, 8):
        (tree / "dvc.lock").unlink(missing_ok=True)
        assert {step.kind for step in run(jobs=jobs, force=True)} == {"starts", "ends"}
        locks.append(sorted((tree / "dvc.lock").read_text().splitlines()))
    assert locks[0] == locks[1] == locks[2]


def test_a_step_is_told_with_the_time_left(write: Write, run: Run):
    write(a=stage("a", "echo > a"))
    first: Step = run()[0]
    assert first.time_left == ", first run here: no estimate yet"
    assert run(force=True)[0].time_left == ", up to 0 s left"
