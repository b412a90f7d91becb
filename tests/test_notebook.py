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
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return [output.get("text") or output["data"]["text/plain"] for output in outputs]


def test_it_says_what_is_committed_but_for_rounding(notebook: tuple[Any, Path]) -> None:
    ours, committed = printed(notebook[0]), printed(read())
    assert [NUMBER.sub("#", text) for text in ours] == [NUMBER.sub("#", text) for text in committed]
    numbers, before = (
        [float(number) for text in texts for number in NUMBER.findall(text)]
        for texts in (ours, committed)
    )
    assert numbers == pytest.approx(before, rel=0.01, abs=0.011)


def test_it_leaves_a_figure_and_nothing_else(notebook: tuple[Any, Path]) -> None:
    assert [path.name for path in notebook[1].iterdir()] == ["mean_cosine.pdf"]


def test_it_has_fifteen_cells_and_warns_of_nothing() -> None:
    committed = read()
    assert len(committed.cells) == 15
    outputs = [output for cell in committed.cells for output in cell.get("outputs", ())]
    assert not [output for output in outputs if output.get("name") == "stderr"]
