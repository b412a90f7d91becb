import shutil
from pathlib import Path

import pytest

from embspace.app.queries.search import Hit
from embspace.cite.methods import all_methods
from tests.app.cli.call import call


def test_what_nothing_was_computed_of_is_told_where_no_study_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: Path
):
    monkeypatch.setenv("EMBSPACE_CACHE", str(tmp_path))
    home = tmp_path / "study"
    for place in ("conf", "data/published", "pipeline"):
        shutil.copytree(root / place, home / place)
    for file in ("params.yaml", "dvc.yaml", "models.lock", "CITATION.cff"):
        shutil.copy(root / file, home)
    monkeypatch.chdir(home)
    said = call("cite", "minilm", "helix")
    expected = "error: no results of helix; make a report of it with\n  embspace report minilm\n"
    assert said.stderr == expected


def test_latex_needs_an_analysis(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(root)
    assert "--latex: found without an analysis" in call("cite", "--latex").stderr


def test_hits_steer_no_terminal(monkeypatch: pytest.MonkeyPatch):
    hit = Hit(0.5, "id\x1b[31m", 0, "text\x1b]0;title\x07")
    monkeypatch.setattr("embspace.app.queries.search.search", lambda *given, **options: [hit])
    said = call("search", "x", "--corpus", "articles")
    assert "\x1b" not in said.output and "id\\x1b[31m" in said.output


def test_a_hit_has_its_name_in_one_line(monkeypatch: pytest.MonkeyPatch):
    hit = Hit(0.5, "first\n 1.000  second", 0, "a text")
    monkeypatch.setattr("embspace.app.queries.search.search", lambda *given, **options: [hit])
    said = call("search", "x", "--corpus", "articles")
    assert said.stdout.splitlines() == [" 0.500  first  1.000  second", "        a text"]


def test_articles_are_searched_where_no_corpus_is_named(monkeypatch: pytest.MonkeyPatch):
    corpora: list[str] = []
    monkeypatch.setattr(
        "embspace.app.queries.search.search",
        lambda model, corpus, *given, **options: corpora.append(corpus) or [],
    )
    assert call("search", "x").exit_code == 0
    assert call("search", "x", "--corpus", "posts").exit_code == 0
    assert corpora == ["articles", "posts"]


def test_without_a_name_methods_and_measures_are_listed():
    assert call("cite").stdout.split() == [*all_methods()]
    assert "  mean_cosine " in call("define").stdout
