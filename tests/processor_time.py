"""Holds each test to a few seconds of the processor, as `tests/conftest.py` asks it to.

A test's seconds are those of its setup, call and teardown, in this process and in children that
have ended. Seconds of the processor, not of the clock: on a busy machine they grow little. A test
above `LISTED` is named at the end of the run; one above `LIMIT` fails, unless it is marked `slow`,
or `fetched`: real weights take their time.

Some work is done by whichever test comes first, and then serves others. It is not counted to that
test, or the order of tests would decide which of them fails:

- setup and teardown of fixtures whose scope is a class, a module, a package or the session;
- imports;
- kernels of numba, which are compiled once in a fresh clone, and then read once by a process.

The end of the run says how long each took, in all; a shared fixture above `LISTED` is named.
A child that outlives its test is counted to the test in which it is waited for.

`EMBSPACE_TEST_SECONDS=3` multiplies both bounds by 3, for a slow machine.
"""

import importlib
import os
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

LISTED, LIMIT = 2.0, 5.0  # seconds of the processor
UNBOUND = ("slow", "fetched")  # marks of tests that no bound holds
FACTOR = "EMBSPACE_TEST_SECONDS"
TEST, SHARED = "processor seconds", "processor seconds of what is shared"
IMPORTS, KERNELS = "imports", "kernels of numba"


def seconds_used() -> float:
    """Return the processor time of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def bound(seconds: float) -> float:
    """Return the bound on this machine."""
    return seconds * float(os.environ.get(FACTOR, "1"))


class ProcessorTime:
    """A plugin of pytest that measures, and fails a test that takes too long."""

    def __init__(self, clock: Callable[[], float] = seconds_used) -> None:
        self._clock = clock
        self._shared: dict[str, float] = defaultdict(float)
        """Of the test that runs: what was not its own."""
        self._open: list[tuple[str, float, float]] = []
        """What has begun and not ended: its name, its begin, and what was used before it."""
        self._begin = 0.0
        self._hears_numba = False

    def start(self, name: str) -> None:
        """Begin something shared."""
        self._open.append((name, self._clock(), sum(self._shared.values())))

    def stop(self) -> None:
        """End what began last; what began and ended within it has its own name."""
        name, begin, before = self._open.pop()
        within = sum(self._shared.values()) - before
        self._shared[name] += self._clock() - begin - within

    @contextmanager
    def shared(self, name: str) -> Iterator[None]:
        """Count what happens within to `name` and not to the test."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        self.start(name)
        try:
            yield
        finally:
            self.stop()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Iterator[None]:
        self._shared.clear()
        self._begin = self._clock()
        self.hear_numba()
        return (yield)

    def hear_numba(self) -> None:
        """Count kernels from now on, if numba is there: a test may be the first to import it."""
        is_within_import = any(name == IMPORTS for name, *_ in self._open)
        if "numba" not in sys.modules or self._hears_numba or is_within_import:
            return
        self._hears_numba = True
        from numba.core import event

        outer = self

        class Kernels(event.Listener):  # type: ignore[misc]
            """Other threads may compile, one at a time, while the first waits for them."""

            n_compiling, begin = 0, 0.0

            def on_start(self, event: Any) -> None:
                if threading.current_thread() is threading.main_thread():
                    outer.start(KERNELS)
                    return
                if not self.n_compiling:
                    self.begin = outer._clock()
                self.n_compiling += 1

            def on_end(self, event: Any) -> None:
                if threading.current_thread() is threading.main_thread():
                    outer.stop()
                    return
                self.n_compiling -= 1
                if not self.n_compiling:
                    outer._shared[KERNELS] += outer._clock() - self.begin

        event.register("numba:compiler_lock", Kernels())

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[Any]:
        if fixturedef.scope == "function":
            return (yield)
        name = f"{fixturedef.baseid}::{fixturedef.argname}"
        # Finalizers run from the last to the first: these two enclose the fixture's own.
        fixturedef.addfinalizer(self.stop)
        try:
            with self.shared(name):
                return (yield)
        finally:
            fixturedef.addfinalizer(lambda: self.start(name))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: Any) -> Iterator[Any]:
        if call.when != "teardown":
            return (yield)
        seconds = self._clock() - self._begin - sum(self._shared.values())
        is_unbound = any(item.get_closest_marker(name) for name in UNBOUND)
        if not is_unbound:
            item.user_properties.append((TEST, seconds))
        item.user_properties.append((SHARED, dict(self._shared)))
        report = yield
        if not is_unbound and seconds > bound(LIMIT) and report.passed:
            report.outcome = "failed"
            report.longrepr = too_long(item.nodeid, seconds)
        return report


def too_long(name: str, seconds: float) -> str:
    """Return what is said of a test that takes too long."""
    return (
        f"{name} took {seconds:.1f} s of the processor; the most is {bound(LIMIT):g} s. Take less "
        "data or fewer draws, share what it makes with other tests in a fixture of the module, or, "
        "if what it claims needs them, mark it with @pytest.mark.slow and leave a smaller test."
    )


@contextmanager
def imports_heard(time: ProcessorTime) -> Iterator[None]:
    """Count to `IMPORTS` what the import of a module takes that is not there yet."""
    bootstrap: Any = importlib._bootstrap  # type: ignore[attr-defined]
    find_and_load = bootstrap._find_and_load

    def heard(name: str, import_: Any) -> Any:
        with time.shared(IMPORTS):
            module = find_and_load(name, import_)
        if threading.current_thread() is threading.main_thread():
            time.hear_numba()
        return module

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bootstrap, "_find_and_load", heard)
        yield


def summary(reports: Iterable[Any]) -> list[str]:
    """Return the lines on which the end of a run says what took long."""
    tests: dict[str, float] = {}
    shared: dict[str, float] = defaultdict(float)
    for report in reports:
        for key, value in getattr(report, "user_properties", ()):
            if key == TEST:
                tests[report.nodeid] = value
            elif key == SHARED:
                for name, seconds in value.items():
                    shared[name] += seconds
    kinds = {name: shared.pop(name, 0.0) for name in (IMPORTS, KERNELS)}
    lines = [*_long(tests), *_long(shared)]
    if any(seconds > bound(LISTED) for seconds in kinds.values()) or lines:
        in_all = {"tests": sum(tests.values()), "shared fixtures": sum(shared.values())} | kinds
        times = (f"{name} {seconds:.0f} s" for name, seconds in in_all.items())
        lines.append(f"in all: {', '.join(times)}")
    return lines


def _long(seconds: dict[str, float]) -> list[str]:
    longest = sorted(seconds.items(), key=lambda pair: -pair[1])
    return [f"{took:6.1f} s  {name}" for name, took in longest if took > bound(LISTED)]
