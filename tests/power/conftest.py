from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.power.rules import claims_of


@pytest.fixture(scope="session", autouse=True)
def claims_are_read_once(root: Path) -> None:
    """The rules are read once, for all tests of the folder."""
    claims_of(root)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawn tables are saved in a folder of the test's own, the current one."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def small_draws_take_turns() -> Iterator[None]:
    """So small a table takes less than to hand it to another thread and to wait for that."""
    from joblib import parallel_config

    with parallel_config(backend="sequential"):
        yield


@pytest.fixture(autouse=True)
def shapes_are_checked_elsewhere() -> Iterator[None]:
    """Thousands of small calls take twice as long with their shapes checked."""
    from jaxtyping import config

    before = config.jaxtyping_disable
    config.update("jaxtyping_disable", True)
    yield
    config.update("jaxtyping_disable", before)
