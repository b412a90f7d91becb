"""Holds that the notebook of docs/ runs in an empty folder and says what is committed."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.notebook import executed, read

NUMBER = re.compile(r"-?\d+\.\d+")


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    folder = tmp_path_factory.mktemp("empty")
    return executed(folder), folder


def printed(notebook: Any) -> list[str]:
    """What each output says as text."""
    outputs = [each for cell in notebook.cells for each in cell.get("outputs", ())]
    return [each.get("text") or each["data"]["text/plain"] for each in outputs]


def test_it_says_what_is_committed_but_for_rounding(notebook: tuple[Any, Path]) -> None:
    ours, committed = printed(notebook[0]), printed(read())
    assert [NUMBER.sub("#", each) for each in ours] == [NUMBER.sub("#", each) for each in committed]
    numbers, before = (
        [float(number) for each in texts for number in NUMBER.findall(each)]
        for texts in (ours, committed)
    )
    assert numbers == pytest.approx(before, rel=0.01, abs=0.011)


def test_it_leaves_a_figure_and_nothing_else(notebook: tuple[Any, Path]) -> None:
    assert [path.name for path in notebook[1].iterdir()] == ["mean_cosine.pdf"]


def test_it_has_fifteen_cells_and_warns_of_nothing() -> None:
    committed = read()
    assert len(committed.cells) == 15
    outputs = [each for cell in committed.cells for each in cell.get("outputs", ())]
    assert not [each for each in outputs if each.get("name") == "stderr"]
