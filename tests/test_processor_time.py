"""Holds the bound on a test's processor time to tests with a clock of their own."""

import importlib
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.processor_time import (
    FACTOR,
    IMPORTS,
    KERNELS,
    SHARED,
    TEST,
    ProcessorTime,
    imports_heard,
    seconds_used,
    summary,
)

pytest_plugins = ["pytester"]

CLOCK = """
import pytest
from tests.processor_time import ProcessorTime, summary

now = [0.0]

def pytest_configure(config):
    config.addinivalue_line("markers", "slow: x")
    config.addinivalue_line("markers", "fetched: x")
    config.pluginmanager.register(ProcessorTime(lambda: now[0]))

def pytest_terminal_summary(terminalreporter):
    for line in summary(one for kind in terminalreporter.stats.values() for one in kind):
        terminalreporter.write_line(line)

def spend(seconds):
    now[0] += seconds
"""
HEAD = "import pytest\nfrom conftest import spend\n"


def run(pytester: pytest.Pytester, code: str) -> pytest.RunResult:
    pytester.makeconftest(CLOCK)
    pytester.makepyfile(HEAD + code)
    return pytester.runpytest_inprocess("-p", "no:cacheprovider")


@pytest.fixture(autouse=True)
def no_factor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FACTOR, raising=False)


def test_a_test_above_two_seconds_is_listed_and_passes(pytester: pytest.Pytester) -> None:
    result = run(pytester, "def test_short():\n spend(1.9)\ndef test_long():\n spend(4.9)\n")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*4.9 s  *::test_long", "in all: tests 7 s, *"])
    result.stdout.no_fnmatch_line("*::test_short")


def test_a_test_above_five_seconds_fails_the_run_and_says_what_to_do(
    pytester: pytest.Pytester,
) -> None:
    code = """
@pytest.fixture
def setup_and_teardown():
    spend(2)
    yield
    spend(2)

def test_long(setup_and_teardown):
    spend(1.5)
"""
    result = run(pytester, code)
    result.assert_outcomes(passed=1, errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    said = "*::test_long took 5.5 s of the processor; the most is 5 s. Take less data*"
    result.stdout.fnmatch_lines([said, "*5.5 s  *::test_long"])


@pytest.mark.parametrize("mark", ["slow", "fetched"])
def test_a_slow_test_has_its_time(pytester: pytest.Pytester, mark: str) -> None:
    result = run(pytester, f"@pytest.mark.{mark}\ndef test_long():\n spend(50)\n")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*::test_long")


def test_a_slow_machine_has_wider_bounds(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FACTOR, "2")
    code = "def test_one():\n spend(3.9)\ndef test_other():\n spend(10.1)\n"
    result = run(pytester, code)
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["*::test_other took 10.1 s of the processor; the most is 10 s*"])
    result.stdout.no_fnmatch_line("*3.9 s*")


def test_what_tests_share_is_counted_to_none_of_them(pytester: pytest.Pytester) -> None:
    code = """
@pytest.fixture(scope="session")
def of_all():
    spend(9)
    yield
    spend(7)

@pytest.fixture(scope="module")
def of_module(of_all):
    spend(6)
    yield
    spend(8)

def test_first(of_module):
    spend(1)

def test_last(of_module):
    spend(2.5)
"""
    result = run(pytester, code)
    result.assert_outcomes(passed=2)
    lines = ["*2.5 s  *::test_last", "*16.0 s  *::of_all", "*14.0 s  *::of_module"]
    result.stdout.fnmatch_lines(lines)
    result.stdout.fnmatch_lines(["in all: tests 4 s, shared fixtures 30 s, *"])
    result.stdout.no_fnmatch_line("*::test_first")


def test_a_failed_test_keeps_its_own_words(pytester: pytest.Pytester) -> None:
    code = "@pytest.fixture\ndef x():\n yield\n assert 1 > 2\ndef test_long(x):\n spend(6)\n"
    result = run(pytester, code)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*assert 1 > 2*"])


def test_imports_are_counted_apart_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "clock_of_this_test", now, raising=False)
    (tmp_path / "outer_of_this_test.py").write_text("import inner_of_this_test\n")
    text = "import sys\nsys.clock_of_this_test[0] += 3\n"
    (tmp_path / "inner_of_this_test.py").write_text(text)
    clock = ProcessorTime(lambda: now[0])
    with imports_heard(clock):
        importlib.import_module("outer_of_this_test")
        importlib.import_module("outer_of_this_test")
    assert clock._shared == {IMPORTS: 3.0}


def test_kernels_are_counted_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    import numba

    now = [0.0]
    clock = ProcessorTime(lambda: now[0])
    clock.hear_numba()
    clock._clock = lambda: now.__setitem__(0, now[0] + 1) or now[0]
    numba.njit(lambda x: x + 1)(1)
    assert clock._shared[KERNELS] >= 1
    assert not clock._open
    before = clock._shared[KERNELS]
    thread = threading.Thread(target=lambda: numba.njit(lambda x: x + 2)(1))
    thread.start()
    thread.join()
    assert clock._shared[KERNELS] > before


def test_the_clock_does_not_go_while_a_test_waits() -> None:
    before = seconds_used()
    time.sleep(0.2)
    assert seconds_used() - before < 0.15


def test_a_summary_adds_what_several_processes_shared() -> None:
    parts: list[dict[str, float]] = [{"a::x": 1.5, IMPORTS: 3.0}, {"a::x": 1.0}]
    reports = [SimpleNamespace(nodeid=f"t{n}", user_properties=[]) for n in range(2)]
    for report, part in zip(reports, parts, strict=True):
        report.user_properties += [(TEST, 0.5), (SHARED, part)]
    without = SimpleNamespace(nodeid="b.py")  # of a file that could not be collected
    assert summary([*reports, without]) == [
        "   2.5 s  a::x",
        "in all: tests 1 s, shared fixtures 2 s, imports 3 s, kernels of numba 0 s",
    ]
