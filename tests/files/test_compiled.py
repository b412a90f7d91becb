"""A folder for compiled code where the user's own cannot be written."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.files.compiled import (
    KEPT_IN,
    check_temporary_folder,
    let_compiled_code_be_kept,
)
from tests.app.cli.call import call


def test_a_home_that_can_be_written_stays_numbas_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv(KEPT_IN, raising=False)
    let_compiled_code_be_kept()
    assert KEPT_IN not in os.environ


def test_without_a_home_it_is_kept_with_temporary_files(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", "/dev/null")
    monkeypatch.setenv(KEPT_IN, "unchanged")
    let_compiled_code_be_kept()
    assert os.environ[KEPT_IN] == "unchanged"
    monkeypatch.delenv(KEPT_IN)
    let_compiled_code_be_kept()
    assert Path(os.environ[KEPT_IN]).name.startswith("embspace-compiled-")


def test_a_module_that_cannot_be_written_beside_compiles_without_a_home(tmp_path: Path):
    """Numba compiles a kept function of a file whose folder takes no further file."""
    code = (
        "import embspace, numba, sys\n"
        "from numba.core.caching import InTreeCacheLocator\n"
        "InTreeCacheLocator.from_function = classmethod(lambda *_: None)\n"
        "from embspace.stream import _row_loops\n"
        "print('kept')"
    )
    environment = {**os.environ, "HOME": "/dev/null", "TMPDIR": str(tmp_path)}
    environment.pop(KEPT_IN, None)
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.returncode) == ("kept\n", 0), done.stderr


def test_without_a_folder_for_temporary_files_one_sentence_says_so(
    monkeypatch: pytest.MonkeyPatch,
):
    def none() -> str:
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found in ['/tmp']")

    monkeypatch.setattr("tempfile.gettempdir", none)
    monkeypatch.setenv("HOME", "/dev/null")
    monkeypatch.delenv(KEPT_IN, raising=False)
    let_compiled_code_be_kept()
    assert KEPT_IN not in os.environ
    with pytest.raises(InputError, match=r"No usable temporary .*; name a folder .* by TMPDIR$"):
        check_temporary_folder()
    said = call("models")
    assert (said.exit_code, said.stderr.count("\n")) == (1, 1)
    assert said.stderr.startswith("error: No usable temporary directory")
