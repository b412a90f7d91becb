"""The kernels, heap and threads of stages are those of `make`."""

import platform
from pathlib import Path

import pytest

from embspace.app.repro.environment import (
    HEAP,
    KERNELS,
    ONE_THREAD,
    SHARED,
    environment,
    n_cores,
)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the kernels are those of x86-64")
@pytest.mark.parametrize("name", KERNELS)
def test_a_stage_has_the_kernels_of_make_unless_the_user_names_others(
    name: str, root: Path, monkeypatch: pytest.MonkeyPatch
):
    assert f"export {name} ?= {KERNELS[name]}\n" in (root / "Makefile").read_text()
    monkeypatch.delenv(name, raising=False)
    assert environment()[name] == KERNELS[name]
    monkeypatch.setenv(name, "Zen")
    assert environment()[name] == "Zen"


def test_a_stage_keeps_its_memory_as_under_make_unless_the_user_says_otherwise(
    root: Path, monkeypatch: pytest.MonkeyPatch
):
    makefile = (root / "Makefile").read_text()
    for name, value in HEAP.items():
        assert f"export {name} ?= {value}\n" in makefile
        monkeypatch.delenv(name, raising=False)
        assert environment()[name] == value
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "1")
    assert environment()["MALLOC_TRIM_THRESHOLD_"] == "1"


@pytest.mark.parametrize("name", SHARED)
def test_jobs_share_the_cores_unless_the_user_says_otherwise(
    name: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv(name, raising=False)
    assert environment(1)[name] == str(n_cores())
    assert environment(2)[name] == str(max(1, n_cores() // 2))
    assert environment(1000)[name] == "1"
    monkeypatch.setenv(name, "5")
    assert environment(2)[name] == "5"


@pytest.mark.parametrize("name", ONE_THREAD)
def test_products_have_the_same_threads_with_any_number_of_jobs(
    name: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv(name, raising=False)
    assert [environment(jobs)[name] for jobs in (1, 2, 8)] == [ONE_THREAD[name]] * 3
    monkeypatch.setenv(name, "5")
    assert environment(2)[name] == "5"


def test_this_interpreter_comes_first(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.executable", "/somewhere/bin/python")
    assert environment()["PATH"].startswith("/somewhere/bin:")
