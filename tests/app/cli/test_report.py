import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from embspace.app.cli.report import has_display
from tests.app.cli.call import call


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """What a report was asked for; none is written."""
    passed_on: dict[str, Any] = {}
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(
        "embspace.app.reporting.subject.describe_subject",
        lambda *given, **options: passed_on.update(options),
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
    assert page == {"options": [], "reading": reading, "n_untrained": 3}


def test_the_page_is_named_from_where_the_user_is(
    page: dict[str, Any], root: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(root / "docs")
    assert call("report", "x", "--layers", "--no-maps").stdout == "../reports/x.html\n"
    assert page == {"options": ["layers", "no-maps"], "reading": {}, "n_untrained": 3}
    assert call("report", "x", "--all", "--untrained", "1").stderr == "page: ../reports/x.html\n"
    assert (page["options"], page["n_untrained"]) == (["all"], 1)
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


def test_quick_takes_no_jobs(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(root)
    said = call("report", "minilm", "--quick", "--jobs", "2")
    assert said.exit_code == 1 and "--quick: found beside --jobs" in said.stderr


def test_a_name_that_is_none_is_told_what_is_allowed(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(root)
    said = call("report", "sentimnt")
    assert said.exit_code == 1
    assert "conf/model/sentimnt.yaml: not found" in said.stderr
    assert "did you mean 'sentiment'?" in said.stderr
    assert "found none, allowed: a name, or else --all" in call("report").stderr
    assert "--single-file: found with a model" in call("report", "minilm", "--single-file").stderr
