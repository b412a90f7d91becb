import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.warm_python import LIBRARIES, warm_python

SAYS = """
import os, sys
print(sys.argv[1:], os.getcwd(), os.environ["ASKED"], {*%r} <= sys.modules.keys())
print("to stderr", file=sys.stderr)
sys.exit(3)
"""
Call = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def path() -> Iterator[str]:
    with warm_python(dict(os.environ)) as path:
        yield path


@pytest.fixture
def call(path: str, tmp_path: Path) -> Call:
    """Call `python` in a folder of its own, with what the call asks for in its environment."""

    def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PATH": path, "PYTHONPATH": "src", **variables}
        folder = tmp_path / "tree"
        return subprocess.run(
            ["python", *arguments], cwd=folder, env=environment, capture_output=True, text=True
        )

    (tmp_path / "tree/src").mkdir(parents=True)
    return run


def test_a_module_has_arguments_folder_environment_and_status_of_its_call(
    call: Call, tmp_path: Path
):
    (tmp_path / "tree/src/says.py").write_text(SAYS % (LIBRARIES,))
    for asked in ("this", "that"):
        said = call("-m", "says", "a", "b c", ASKED=asked)
        assert said.stdout == f"['a', 'b c'] {tmp_path / 'tree'} {asked} True\n"
        assert (said.stderr, said.returncode) == ("to stderr\n", 3)


def test_a_module_is_the_one_of_now_and_of_its_tree(call: Call, tmp_path: Path):
    module = tmp_path / "tree/src/embspace.py"
    for text in ("first", "the second"):
        module.write_text(f"print({text!r})")
        assert call("-m", "embspace").stdout == f"{text}\n"


def test_a_module_that_is_killed_has_the_status_that_a_shell_gives_it(call: Call, tmp_path: Path):
    (tmp_path / "tree/src/dies.py").write_text("import os, signal\nos.kill(os.getpid(), 9)")
    assert call("-m", "dies").returncode == 128 + 9


def test_what_is_no_module_runs_in_python_itself(call: Call):
    said = call("-c", "import sys; print(sys.executable, 'torch' in sys.modules)")
    assert said.stdout == f"{sys.executable} False\n"
