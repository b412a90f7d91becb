"""Holds the collection of tests to what it may import, and what stands for a library to that."""

import subprocess
import sys

import pytest

from tests.conftest import IMPORTED
from tests.lazy import Lazy


def test_tests_are_collected_without_libraries_that_take_seconds(
    request: pytest.FixtureRequest,
) -> None:
    imported = request.config.stash[IMPORTED]
    assert not imported, "import these in a test or fixture, or take them from tests/lazy.py"


def test_a_library_is_imported_when_something_of_it_is_taken() -> None:
    code = """
import sys
from tests.lazy import torch
assert "torch" not in sys.modules
assert torch.ones(1).tolist() == [1]
assert "torch" in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_nothing_is_set_in_what_stands_for_a_library() -> None:
    with pytest.raises(AttributeError, match="set it in the module"):
        Lazy("json").dumps = len
