"""Sections open with the question that they answer."""

import re
from pathlib import Path

from embspace.app.page.nouns import COMPARES_MODELS, nouns_of_page
from embspace.app.page.questions import questions, stage_apart

OF_OTHER_SOURCES = ("ledger",)  # whose row is about the thesis


def test_each_section_has_a_question_and_says_how_to_read_its_figure():
    assert {*questions()} - {COMPARES_MODELS} == {*nouns_of_page()}
    for noun, said in questions().items():
        assert said.question.endswith("?"), noun
        assert re.fullmatch(r"[A-Z].*\.", said.read), noun
        assert "measure_" not in said.read + said.question


def test_the_question_is_that_of_the_docs(root: Path):
    by_noun: dict[str, str] = {}
    for line in (root / "docs/analyses.md").read_text(encoding="utf-8").splitlines():
        cells = line.strip("| ").split(" | ")
        if len(cells) == 3 and "?" in cells[0]:
            question = cells[0][: cells[0].rindex("?") + 1]
            by_noun |= dict.fromkeys(re.findall(r"`(\w+)`", cells[2]), question)
    shared = {*questions()} & {*by_noun} - {*OF_OTHER_SOURCES}
    assert len(shared) > 35
    assert {noun: questions()[noun].question for noun in shared} == {
        noun: by_noun[noun] for noun in shared
    }


def test_the_name_of_a_stage_is_no_first_sentence():
    code = "Stage <code>measure_x</code>"
    assert stage_apart(f"<p>{code}. Of all.</p>") == ("<p>Of all.</p>", "measure_x")
    assert stage_apart(f"<p>{code}.</p>\n<h3>A</h3>") == ("<h3>A</h3>", "measure_x")
    assert stage_apart(f"<p>{code}, at the last.</p>") == ("<p>At the last.</p>", "measure_x")
    several = stage_apart("<p>Stages project_a, project_b. Of all.</p>")
    assert several == ("<p>Of all.</p>", "project_a, project_b")
    assert stage_apart("<p>Of all.</p>") == ("<p>Of all.</p>", "")
