"""Calls the command `embspace` in this process, or as a program."""

import os
import subprocess
import sys
from pathlib import Path

from click.testing import Result
from typer.testing import CliRunner

from embspace.app.cli import app


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def call_program(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return python(root, "from embspace.app.cli import app; app()", *arguments)


def python(root: Path, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run code with the embspace of a tree, wherever the current folder is."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": str(root / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
