from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from matplotlib.figure import Figure
from pydantic import BaseModel

from embspace.draw.page import known_drawings
from embspace.draw.page.canvas import new_figure
from embspace.draw.page.known_drawings import DRAWINGS, KEPT, drawing_key
from embspace.draw.page.saving import Drawing, draw_and_save
from embspace.files.tables import save_table

TABLE = "results/noun/toy.csv"
DRAWN: list[str] = []


def draw_noun(tables: dict[str, Any], label: str, *, words: str) -> tuple[Figure, str]:
    DRAWN.append(words)
    figure, axes = new_figure(1, 1, height_mm=40, title=words, subtitle=label, stage="measure_noun")
    axes[0].plot(tables["csv"]["id"])
    return figure, f"{label}: {words}, {len(tables['csv'])}"


def draw(words: str = "one", label: str = "a label") -> dict[Path, bytes]:
    """Draw the noun, and return the files."""
    drawings = {"noun": Drawing(draw_noun, ("csv",))}
    draw_and_save("toys", drawings, "toy", label, {"noun": {"words": words}})
    files = [*Path("figures").rglob("*.*"), *Path("data/drawn").rglob("*.*")]
    return {file: file.read_bytes() for file in files}


@pytest.fixture(autouse=True)
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    save_table(pd.DataFrame({"id": range(3)}), TABLE)
    DRAWN.clear()


def test_what_was_drawn_before_comes_back_without_drawing():
    first = draw()
    other = draw("two")
    for file in first:
        file.unlink()
    assert draw() == first != other
    assert DRAWN == ["one", "two"]


def test_other_results_are_drawn():
    draw()
    save_table(pd.DataFrame({"id": range(4)}), TABLE)
    draw()
    assert DRAWN == ["one", "one"]


@pytest.mark.parametrize("change", [{"words": "two"}, {"label": "another"}])
def test_other_settings_and_labels_are_drawn(change: dict[str, str]):
    draw()
    draw(**change)
    assert len(DRAWN) == 2


def test_settings_that_are_a_schema_count_by_what_they_hold():
    class Shown(BaseModel):
        measures: list[str]

    one, two = Shown(measures=["a"]), Shown(measures=["b"])
    assert drawing_key([], {"shown": one}) == drawing_key([], {"shown": Shown(measures=["a"])})
    assert drawing_key([], {"shown": one}) != drawing_key([], {"shown": two})


def test_other_code_is_drawn(monkeypatch: pytest.MonkeyPatch):
    draw()
    monkeypatch.setattr(known_drawings, "_code", lambda: "other")
    draw()
    assert DRAWN == ["one", "one"]


def test_the_key_holds_code_sources_and_all_that_is_given(tmp_path: Path):
    source = tmp_path / "a.csv"
    source.write_text("1")
    keys = {drawing_key([], "a"), drawing_key([source], "a"), drawing_key([source], "b")}
    source.write_text("2")
    assert len(keys | {drawing_key([source], "a")}) == 4
    assert drawing_key([source], {"x": 1, "y": 2}) == drawing_key([source], {"y": 2, "x": 1})


def test_the_oldest_drawings_go():
    for number in range(KEPT + 2):
        draw(str(number))
    assert len(list((DRAWINGS / "noun/toy").glob("*.zip"))) == KEPT
    draw(str(KEPT + 1))
    assert len(DRAWN) == KEPT + 2
    draw("0")
    assert len(DRAWN) == KEPT + 3
