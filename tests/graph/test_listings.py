from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from embspace.analysis import Analysis, Table
from embspace.graph import listings
from embspace.graph.declarations import declaration, plain_question
from embspace.graph.listings import (
    drawn_results,
    with_compared,
    with_kinds,
    with_questions,
    with_rows,
)


def test_drawings_take_all_results_but_the_undrawn():
    columns = Table({"a": "row"})
    analysis = Analysis("n", "?", {}, {"csv": columns, "more": columns}, {"n": "count"})
    assert [*drawn_results(analysis)] == ["csv", "json", "more.csv"]
    assert [*drawn_results(replace(analysis, undrawn=["more"]))] == ["csv", "json"]


def test_a_new_analysis_has_a_row_at_the_end_of_the_list():
    text = with_rows("| question | figure and tables | noun |\n|---|---|---|\n\nAfter.\n", "tiny")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert any("../figures/helix/tiny.png" in row and row.endswith("`helix` |") for row in rows)
    assert text.endswith("\n\nAfter.\n")


def test_a_row_of_pairs_keeps_the_pair_and_runs_share_a_figure(monkeypatch: pytest.MonkeyPatch):
    member = declaration("helix")
    pairs = replace(member.analysis, over="compared", question="?", further_figures={})
    runs = replace(pairs, over="trained")
    head = "| question | figure and tables | noun |\n"
    for analysis, old, links in (
        (pairs, "[figure](../figures/helix/a--b.png)", "[figure](../figures/helix/a--b.png), "),
        (pairs, "", "`figures/helix/<pair>.png`, `figures/helix/<pair>.md` |"),
        (runs, "", "[all runs](../figures/helix/all_runs.png), "),
    ):
        one = [member._replace(analysis=analysis)]
        monkeypatch.setattr(listings, "declared", lambda one=one: one)
        assert f"| ? | {links}" in with_rows(f"{head}| old | {old} | `helix` |\n", "tiny")


def test_a_source_that_is_declared_no_more_goes(root: Path):
    text = (root / "conf/compare/measures.yaml").read_text(encoding="utf-8")
    head, mark, body = text.partition("sources:\n")
    old = "  - noun: helix\n    table: old\n    file: results/helix/old/{}.csv\n"
    assert with_compared(head + mark + old + body) == text


def test_the_row_of_an_analysis_without_a_question_goes(monkeypatch: pytest.MonkeyPatch):
    member = declaration("helix")
    silent = member._replace(analysis=replace(member.analysis, question=""))
    monkeypatch.setattr(listings, "declared", lambda: [silent])
    others = "| question | figure and tables | noun |\n| a | b | `helix`, `positions` |\n"
    assert with_rows(f"{others}| old | b | `helix` |\n| a | b | `other` |\n", "tiny") == (
        f"{others}| a | b | `other` |\n"
    )


def test_an_analysis_has_one_row_where_its_map_became_a_measure(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(listings, "declared", lambda: [declaration("helix")])
    row = "| old | b | `helix` (in `conf/project/`, as all maps) |\n"
    [line] = with_rows(row + row, "tiny").splitlines()
    assert line.endswith(" | `helix` |")


def test_the_question_of_an_analysis_stands_on_its_page_s_section():
    read = "  read: Each curve is a density.\n"
    text = f"helix:\n  question: Old?\n{read}other:\n  question: Which hold?\n{read}"
    made = yaml.safe_load(with_questions(text))
    assert made["helix"] == {
        "question": plain_question(declaration("helix").analysis),
        "read": "Each curve is a density.",
    }
    assert made["other"]["question"] == "Which hold?"
    assert [*made["positions"]] == ["question"]  # new, and not yet explained
    assert "cubes" not in made


def test_kinds_are_written_once():
    once = with_kinds("files:\n  other:\n    columns: {a: row}\n")
    assert with_kinds(once) == once
    files = yaml.safe_load(once)["files"]
    assert files["other"] == {"columns": {"a": "row"}}
    assert files["helix/spectrum"] == {"columns": {"frequency": "row", "power": "share"}}
