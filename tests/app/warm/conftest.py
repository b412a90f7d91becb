"""Calls of the warm `python`, in a folder of their own."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from embspace.app.warm.python import COLD, warm_python

Start = Callable[..., "subprocess.Popen[str]"]
Finish = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(autouse=True)
def _on_linux() -> None:
    if sys.platform != "linux":
        pytest.skip("elsewhere each stage starts by itself")


@pytest.fixture(scope="module")
def user() -> dict[str, str]:
    """The user's environment, which does not ask for cold starts."""
    return {key: value for key, value in os.environ.items() if key != COLD}


@pytest.fixture(scope="module")
def given(user: dict[str, str]) -> Iterator[dict[str, str]]:
    """The environment, whose process answers to all tests of a file."""
    with warm_python(user) as given:
        yield given


@pytest.fixture
def start(given: dict[str, str], tmp_path: Path) -> Start:
    """Start `python` in a folder of its own, with what the call asks for in its environment."""

    def begin(*arguments: str, **variables: str) -> "subprocess.Popen[str]":
        environment = {**given, "PYTHONPATH": "src", **variables}
        return subprocess.Popen(
            ["python", *arguments],
            cwd=tmp_path / "tree",
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    (tmp_path / "tree/src").mkdir(parents=True)
    return begin


@pytest.fixture
def finish(start: Start) -> Finish:
    """Start it, and wait for its end."""

    def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        with start(*arguments, **variables) as process:
            said = process.communicate()
        return subprocess.CompletedProcess(arguments, process.returncode, *said)

    return run
