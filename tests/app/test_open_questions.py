from pathlib import Path

import pytest

from embspace.app.open_questions import (
    ASKED,
    answers_of_open_questions,
    finding_of,
    keep_answers,
    label_of,
)
from embspace.draw.page.canvas import new_figure
from embspace.files.figures import save_figure
from tests.verify.tree import put


def picture(folder: Path, noun: str, title: str) -> Path:
    file = folder / f"figures/{noun}/mine.png"
    file.parent.mkdir(parents=True)
    figure, _ = new_figure(1, 1, height_mm=40, title=title, subtitle="mine", stage="measure_x")
    save_figure(figure, [str(file)], title="measure_x@mine")
    return file


def test_a_question_is_answered_by_the_finding_of_its_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    title = "Nothing that is taken away frees opposites, whatever the layer and part of speech"
    assert finding_of(picture(tmp_path, "oppositeness", title)) == title
    monkeypatch.chdir(tmp_path)
    rows = answers_of_open_questions("mine", "..").splitlines()[2:]
    assert len(rows) == len(ASKED)
    by_section = dict(zip([section for section, *_ in ASKED], rows, strict=True))
    answer = f"| {title} | [oppositeness](../figures/oppositeness/mine.png) |"
    assert answer in by_section["5.2.1"]
    assert "| not computed | – |" in by_section["5.2.5"]


def test_answers_for_another_model_that_were_kept_stand_below(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    picture(tmp_path, "rounding", "Down to 3 bits nothing happens")
    kept = keep_answers("mine")
    assert kept is not None
    assert kept.read_text() == "noun,answer\nrounding,Down to 3 bits nothing happens\n"
    assert keep_answers("random") is None  # of a model without figures
    assert [*kept.parent.iterdir()] == [kept]
    put("conf/model/mine.yaml", "label: My BERT\n")
    rows = answers_of_open_questions("yours", "..").splitlines()
    assert rows[-2].endswith("| not computed | – |")
    assert rows[-1] == "| | *My BERT* | Down to 3 bits nothing happens | – |"
    assert len(rows) == 2 + len(ASKED) + 1
    assert "My BERT" not in answers_of_open_questions("mine", "..")


def test_every_analysis_that_is_named_has_a_drawing(root: Path):
    for _, _, noun in ASKED:
        assert (root / f"src/embspace/draw/open_questions/{noun}.py").is_file()


def test_answers_that_another_model_judges_name_it(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(root)
    assert label_of("minilm--minilm_l3") == "MiniLM-L6, judged by MiniLM-L3"
    assert label_of("a--b") == "a, judged by b"
