"""Calls of the warm `python`, in a folder of their own."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from embspace.app.warm.python import warm_python

Call = Callable[..., "subprocess.Popen[str]"]
Ended = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def given() -> Iterator[dict[str, str]]:
    """The environment, whose process answers to all tests of a file."""
    with warm_python(os.environ) as given:
        yield given


@pytest.fixture
def start(given: dict[str, str], tmp_path: Path) -> Call:
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
def call(start: Call) -> Ended:
    """Start it, and wait for its end."""

    def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        with start(*arguments, **variables) as process:
            said = process.communicate()
        return subprocess.CompletedProcess(arguments, process.returncode, *said)

    return run
