"""Shared by all tests: one tiny model, built once, and the project's root."""

import gc
import os
import pickle
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import settings

from tests.first_calls import begin_test
from tests.one_process import PROCESSES, one_process
from tests.processor_time import ProcessorTime, imports_heard, summary
from tests.tiny import build_tiny_bert

ROOT = Path(__file__).parent.parent
HEAVY = ("torch", "transformers", "umap", "distributed", "openTSNE")
# By day the same examples each time, so that a change fails for itself; by night new ones.
settings.register_profile("day", derandomize=True)
settings.register_profile("night")
settings.load_profile("day")
IMPORTED = pytest.StashKey[set[str]]()
SET_ASIDE = pytest.StashKey[int]()
MANY_MODULES = 200  # new ones, after which what stays is set aside again


@pytest.fixture(scope="session")
def root() -> Path:
    """The tree that these tests belong to."""
    return ROOT


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small random BERT; treat it as read-only."""
    return build_tiny_bert(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="session", autouse=True)
def no_text_is_parsed_twice() -> Iterator[None]:
    """Remember what PyYAML made of a text: hundreds of tests read the same settings and graphs."""
    parse, known = yaml.load, dict[tuple[str, type], bytes]()

    def load(stream: Any, Loader: Any) -> Any:
        if not isinstance(stream, str):
            return parse(stream, Loader)
        key = (stream, Loader)
        if key not in known:
            known[key] = pickle.dumps(parse(stream, Loader))
        return pickle.loads(known[key])  # another object each time, as from the text

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml, "load", load)
        yield


@pytest.fixture(scope="session", autouse=True)
def nothing_is_kept_for_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Have what is kept between calls in a folder of these tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMBSPACE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session", autouse=True)
def joblib_starts_no_process() -> Iterator[None]:
    """By day its processes would mostly import; see tests/one_process.py."""
    with one_process():
        yield


@pytest.fixture(autouse=True)
def modules_are_no_garbage(pytestconfig: pytest.Config) -> None:
    """Set aside what stays, in which Python looks for garbage for a tenth of the tests' time."""
    if len(sys.modules) > pytestconfig.stash.get(SET_ASIDE, 0) + MANY_MODULES:
        pytestconfig.stash[SET_ASIDE] = len(sys.modules)
        gc.collect()
        gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Give a slow test, and the fixtures that it is first to have, joblib's processes."""
    begin_test()
    _give_torch_its_threads()
    if item.get_closest_marker("slow"):
        os.environ[PROCESSES] = "1"
    else:
        os.environ.pop(PROCESSES, None)


def _give_torch_its_threads() -> None:
    """Undo what numba's OpenMP does: it gives torch as many threads as numba has itself.

    Two threads that wait for one another on a busy machine take twenty times as long for the small
    products of tests.
    """
    torch, n_threads = sys.modules.get("torch"), os.environ.get("OMP_NUM_THREADS")
    if torch is not None and n_threads and torch.get_num_threads() != int(n_threads):
        torch.set_num_threads(int(n_threads))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Look for no garbage while tests are gathered: all that they import and declare stays."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest file first, so that another process does all the others meanwhile."""
    items.sort(key=lambda item: item.path.name != "test_pipeline.py")


def pytest_configure(config: pytest.Config) -> None:
    """Measure the processor time of each test."""
    time = ProcessorTime()
    config.pluginmanager.register(time, "processor time")
    heard = imports_heard(time)
    heard.__enter__()
    config.add_cleanup(lambda: heard.__exit__(None, None, None))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Keep which heavy libraries are there before any test runs, for tests/test_lazy.py."""
    session.config.stash[IMPORTED] = {name for name in HEAVY if name in sys.modules}


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the tests that took long, so that one that grows is seen."""
    lines = summary(report for kind in terminalreporter.stats.values() for report in kind)
    if lines:
        terminalreporter.section("more than two seconds of the processor")
    for line in lines:
        terminalreporter.write_line(line)
