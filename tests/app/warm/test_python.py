import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from psutil import Process, wait_procs

from embspace.app.warm.python import COLD, OFFLINE, SERVER, warm_python
from tests.app.warm.conftest import Finish, Start
from tests.parent_module import write_parent_module

# Says its number, and that of a process that it starts, then waits.
WAITS = """
import os, signal, subprocess, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
try:
    started = subprocess.Popen(["sleep", "600"], stdout=-3, stderr=-3)  # to nowhere
    print(os.getpid(), started.pid, flush=True)
    time.sleep(600)
except KeyboardInterrupt:
    raise SystemExit(7)
"""


def waiting(process: "subprocess.Popen[str]") -> list[Process]:
    """Return the processes of a call that waits."""
    assert process.stdout is not None
    return [Process(int(number)) for number in process.stdout.readline().split()]


def said(given: dict[str, str], module: str) -> str:
    """Return what a module prints."""
    command = ["python", "-m", module]
    return subprocess.run(command, env=given, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def variables(user: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """An environment with a module that says of whom it is a child."""
    write_parent_module(tmp_path)
    return {**user, "PYTHONPATH": str(tmp_path)}


def test_what_is_no_module_runs_in_python_itself(finish: Finish):
    process = finish("-c", "import sys; print(sys.executable, 'torch' in sys.modules)")
    assert process.stdout == f"{sys.executable} False\n"


def test_a_call_that_is_ended_ends_its_fork_and_what_that_has_started(
    start: Start, finish: Finish, tmp_path: Path
):
    (tmp_path / "tree/src/waits.py").write_text(WAITS)
    with start("-m", "waits") as process:
        running = waiting(process)
        process.terminate()
        assert not wait_procs(running, timeout=60)[1]
    assert finish("-m", "waits_not").returncode == 1  # the next one is answered


def test_ctrl_c_is_for_the_fork_whose_status_the_call_has(start: Start, tmp_path: Path):
    (tmp_path / "tree/src/waits.py").write_text(WAITS)
    with start("-m", "waits") as process:
        fork, other = waiting(process)
        process.send_signal(signal.SIGINT)
        fork.send_signal(signal.SIGINT)
        assert process.wait(60) == 7
        other.terminate()


def test_what_a_call_calls_is_no_fork_that_would_wait_for_it(finish: Finish, tmp_path: Path):
    write_parent_module(tmp_path / "tree/src")
    (tmp_path / "tree/src/calls.py").write_text(
        "import subprocess\nsubprocess.run(['python', '-m', 'parent'], check=True)"
    )
    assert str(SERVER) in finish("-m", "parent").stdout
    assert finish("-m", "calls").returncode == 0


def test_when_all_is_over_no_process_is_left(variables: dict[str, str]):
    before = Process().children()
    with warm_python(variables) as given:
        assert str(SERVER) in said(given, "parent")
        (server,) = {*Process().children()} - {*before}
        assert str(SERVER) in server.cmdline()
    assert not server.is_running()


def test_where_it_is_not_wanted_python_itself_runs(variables: dict[str, str]):
    with warm_python({**variables, COLD: "1"}) as given:
        assert given == {**variables, COLD: "1"}
        assert str(SERVER) not in said(given, "parent")


def test_a_users_word_on_the_hub_is_kept(variables: dict[str, str], tmp_path: Path):
    key = next(iter(OFFLINE))
    (tmp_path / "offline.py").write_text(f"import os; print(os.environ.get({key!r}))")
    with warm_python({**variables, key: "0"}) as given:
        assert said(given, "offline") == "0\n"


def test_the_process_may_be_killed_under_a_call_and_the_next_goes_without(
    variables: dict[str, str], tmp_path: Path
):
    (tmp_path / "waits.py").write_text(WAITS)
    with warm_python(variables) as given:
        command = ["python", "-m", "waits"]
        with subprocess.Popen(
            command, env=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            fork, other = waiting(process)
            Process(fork.ppid()).kill()
            assert process.stderr is not None
            assert "error: the process that runs the stages was ended" in process.stderr.read()
            assert process.wait(60) == 1
            assert not wait_procs([fork], timeout=60)[1]  # else two would compute one stage
            other.terminate()
        assert str(SERVER) not in said(given, "parent")


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_python_may_lie_in_a_folder_with_a_space(
    shell: str, variables: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    folder = tmp_path / "a place's name"
    folder.symlink_to(Path(sys.executable).parents[1])
    monkeypatch.setattr(sys, "executable", str(folder / "bin" / Path(sys.executable).name))
    with warm_python(variables) as given:
        printed = subprocess.check_output([shell, "-c", "python -m parent"], env=given, text=True)
    assert str(SERVER) in printed


def test_a_folder_whose_path_is_too_long_for_a_socket_leaves_all_as_it_is(
    user: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    with warm_python(user) as given:
        assert given == user
    assert not [*folder.iterdir()]
