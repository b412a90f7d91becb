import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from psutil import Process, pid_exists

from embspace.app.warm.python import COLD, SERVER, warm_python
from tests.app.warm.conftest import Call, Ended


def test_what_is_no_module_runs_in_python_itself(call: Ended):
    said = call("-c", "import sys; print(sys.executable, 'torch' in sys.modules)")
    assert said.stdout == f"{sys.executable} False\n"


def test_a_call_that_is_ended_ends_its_fork(start: Call, call: Ended, tmp_path: Path):
    (tmp_path / "tree/src/waits.py").write_text(
        "import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(600)"
    )
    with start("-m", "waits") as process:
        assert process.stdout is not None
        fork = int(process.stdout.readline())
        assert pid_exists(fork)
        process.terminate()
        Process(fork).wait(60)
    assert call("-m", "waits_not").returncode == 1  # the next one is answered


def test_ctrl_c_is_for_the_fork_whose_status_the_call_has(start: Call, tmp_path: Path):
    (tmp_path / "tree/src/waits.py").write_text(
        "import os, time\nprint(os.getpid(), flush=True)\n"
        "try:\n    time.sleep(600)\nexcept KeyboardInterrupt:\n    raise SystemExit(7)"
    )
    with start("-m", "waits") as process:
        assert process.stdout is not None
        for reached in (process.pid, int(process.stdout.readline())):
            os.kill(reached, signal.SIGINT)
        assert process.wait(60) == 7


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    """An environment with a module that says of whom it is a child."""
    (tmp_path / "says.py").write_text(
        "import os; print(open(f'/proc/{os.getppid()}/cmdline').read())"
    )
    return {**os.environ, "PYTHONPATH": str(tmp_path)}


def test_a_call_is_a_fork_of_the_process(variables: dict[str, str]):
    with warm_python(variables) as given:
        assert str(SERVER) in _said(given, "says")


def test_where_it_is_not_wanted_python_itself_runs(variables: dict[str, str]):
    with warm_python({**variables, COLD: "1"}) as given:
        assert given == {**variables, COLD: "1"}
        assert str(SERVER) not in _said(given, "says")


def test_a_call_says_that_the_process_was_ended_under_it_and_the_next_goes_without(
    variables: dict[str, str], tmp_path: Path
):
    (tmp_path / "ends.py").write_text("import os, signal\nos.kill(os.getppid(), signal.SIGKILL)")
    with warm_python(variables) as given:
        with pytest.raises(subprocess.CalledProcessError) as failed:
            _said(given, "ends")
        assert str(SERVER) not in _said(given, "says")
    assert "error: the process that runs the stages was ended" in failed.value.stderr


def test_a_folder_whose_path_is_too_long_for_a_socket_leaves_all_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    with warm_python(os.environ) as given:
        assert given == dict(os.environ)
    assert not [*folder.iterdir()]


def _said(given: dict[str, str], module: str) -> str:
    command = ["python", "-m", module]
    return subprocess.run(command, env=given, capture_output=True, text=True, check=True).stdout
