"""Shared by all tests: one tiny model, built once, and the project's root."""

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.file_times import long_files
from tests.tiny import build_tiny_bert

ROOT = Path(__file__).parent.parent


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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest file first, so that another process does all the others meanwhile."""
    items.sort(key=lambda item: item.path.name != "test_pipeline.py")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the files of tests that took long, so that one that grows is seen."""
    reports = [each for kind in terminalreporter.stats.values() for each in kind]
    if slow := long_files(reports):
        terminalreporter.section("files that took more than ten seconds")
    for file, seconds in slow:
        terminalreporter.write_line(f"{seconds:6.1f} s  {file}")
