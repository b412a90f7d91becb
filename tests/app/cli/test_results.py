import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from embspace.app.cli.results import has_display
from embspace.app.queries.search import Hit
from embspace.cite.methods import all_methods
from tests.app.cli.call import call


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """What a report was asked for; none is written."""
    passed_on: dict[str, Any] = {}
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(
        "embspace.app.report.describe_subject", lambda *given, **options: passed_on.update(options)
    )
    monkeypatch.setattr("embspace.app.report.write_report", lambda *given: Path("reports/x.html"))
    monkeypatch.setattr("embspace.app.report.fetch_model", lambda *given: None)
    monkeypatch.setattr(
        "embspace.app.queries.quick.write_quick",
        lambda *given: (Path("reports/x.html"), "| layer |"),
    )
    yield passed_on
    signal.signal(signal.SIGTERM, before)


def test_a_report_reads_texts_as_it_is_told(
    page: dict[str, Any], root: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(root)
    columns = ("--text-column", "b", "--label-column", "c")
    said = call("report", "x", "--corpus", "a.csv", "--separator", r"\t", *columns)
    assert (said.exit_code, said.stdout) == (0, "reports/x.html\n")
    reading = {"separator": "\t", "text_column": "b", "group_column": "c"}
    assert page == {"options": [], "reading": reading}


def test_the_page_is_named_from_where_the_user_is(
    page: dict[str, Any], root: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(root / "docs")
    assert call("report", "x", "--layers", "--no-maps").stdout == "../reports/x.html\n"
    assert page == {"options": ["layers", "no-maps"], "reading": {}}
    assert call("report", "x", "--all").stderr == "page: ../reports/x.html\n"
    assert page["options"] == ["all"]
    assert call("report", "x", "--quick").stdout == "| layer |\n../reports/x.html\n"


def test_quick_reads_one_corpus(page: dict[str, Any], root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(root)
    said = call("report", "x", "--quick", "--corpus", "posts", "--corpus", "articles")
    assert (said.exit_code, page) == (1, {})
    assert "--quick: reads one corpus, found 2" in said.stderr


def test_without_a_display_no_browser_is_asked_for(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.platform", "linux")
    for key in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(key, raising=False)
    assert not has_display()
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert has_display()


def test_a_run_or_all_has_a_page_of_what_is_computed(
    page: dict[str, Any], root: Path, monkeypatch: pytest.MonkeyPatch
):
    runs: list[str] = []
    there = "embspace.app.page.overview"
    monkeypatch.setattr(
        f"{there}.write_named", lambda _, named, **__: runs.append(named.name) or Path("a.html")
    )
    monkeypatch.setattr(f"{there}.write_all", lambda *_, **__: Path("all.html"))
    monkeypatch.chdir(root)
    assert call("report", "sentiment").stdout == "a.html\n"
    assert call("report", "--all").stdout == "all.html\n"
    assert runs == ["sentiment"] and page == {}
    assert "all.html" not in call("report", "").stdout


@pytest.mark.parametrize(
    "option",
    [
        "--quick",
        "--layers",
        "--attention",
        "--parameters",
        "--all",
        "--no-maps",
        "--skip-empty",
        "--jobs=2",
        "--corpus=posts",
        "--text-column=body",
        "--tokenizer=.",
        "--allow-unused=*",
    ],
)
@pytest.mark.parametrize(
    ("name", "said"),
    [("sentiment", "the run 'sentiment'"), ("posts", "the corpus 'posts'"), (None, "all pages")],
)
def test_an_option_that_a_page_of_what_is_computed_has_nothing_of_is_refused(
    root: Path, monkeypatch: pytest.MonkeyPatch, option: str, name: str | None, said: str
):
    monkeypatch.chdir(root)
    for function in ("write_named", "write_all"):
        monkeypatch.setattr(f"embspace.app.page.overview.{function}", lambda *_, **__: Path("x"))
    if name is None and option in ("--all", "--quick"):  # which is told as beside --all
        return
    named = ["--all"] if name is None else [name]
    answer = call("report", *named, option)
    assert answer.exit_code == 1
    assert (
        f"{option.partition('=')[0]}: found beside {said}, allowed: with a model" in answer.stderr
    )
    assert call("report", *named, "--no-open", "--single-file").exit_code == 0


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


def test_quick_takes_no_jobs(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(root)
    said = call("report", "minilm", "--quick", "--jobs", "2")
    assert said.exit_code == 1 and "--quick: found beside --jobs" in said.stderr
    assert "--latex: found without an analysis" in call("cite", "--latex").stderr


def test_a_name_that_is_none_is_told_what_is_allowed(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(root)
    said = call("report", "sentimnt")
    assert said.exit_code == 1
    assert "conf/model/sentimnt.yaml: not found" in said.stderr
    assert "did you mean 'sentiment'?" in said.stderr
    assert "found none, allowed: a name, or else --all" in call("report").stderr
    assert "--single-file: found with a model" in call("report", "minilm", "--single-file").stderr


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
