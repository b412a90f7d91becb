"""Reports are listed as their models and texts were written."""

import os
from pathlib import Path

import pytest

from embspace.app.reporting.listed import list_reports, note
from embspace.app.reporting.subject import Subject
from embspace.app.working_tree import OwnTexts
from tests.app.cli.call import call


def made(root: Path, name: str, second: int, title: str | None = None) -> Path:
    page = root / "reports" / name / "index.html"
    page.parent.mkdir(parents=True)
    page.touch()
    if title is not None:
        note(page.parent, title)
    os.utime(page, (second, second))
    return page


def test_the_newest_is_first_and_one_without_a_note_has_its_name(tmp_path: Path):
    assert list_reports(tmp_path, tmp_path) == []
    made(tmp_path, "my_model-01234567--texts_of_my-89abcdef", 86400 * 3, "./my_model on my.csv")
    made(tmp_path, "minilm", 86400 * 9)
    here = tmp_path / "inside"
    first, second = list_reports(tmp_path, here)
    assert first.split() == ["minilm", "1970-01-10", "../reports/minilm/index.html"]
    assert second.startswith("./my_model on my.csv  1970-01-04  ../reports/my_model-01234567--")


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("my_model-27f70f8c--texts_of_my-288c97cd+layers", "my_model on texts_of_my --layers"),
        ("minilm--posts--my_texts-288c97cd", "minilm on posts, my_texts"),
        ("minilm--other", "minilm and other"),
        ("my_model-27f70f8c--other--my_texts-288c97cd", "my_model and other on my_texts"),
        ("grammar_run", "grammar_run"),
    ],
)
def test_a_page_without_a_note_is_called_by_what_is_in_its_name(
    tmp_path: Path, name: str, title: str
):
    described = tmp_path / "conf/model/other.yaml"
    described.parent.mkdir(parents=True)
    described.touch()
    made(tmp_path, name, 86400)
    (line,) = list_reports(tmp_path, tmp_path)
    assert line == f"{title}  1970-01-02  reports/{name}/index.html"


def test_a_note_that_is_none_is_passed_over(tmp_path: Path):
    page = made(tmp_path, "minilm", 86400)
    (page.parent / "report.json").write_text("[1]")
    assert list_reports(tmp_path, tmp_path)[0].startswith("minilm  ")


def test_a_report_is_called_as_the_user_has_written_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: Path
):
    monkeypatch.chdir(root)
    own = OwnTexts("texts_of_my", "my.csv", ".csv", b"text", place="data/my.csv")
    subject = Subject(
        "my_model-01234567", ["posts", "texts_of_my"], own, {}, ("layers",), typed="./my_model"
    )
    assert subject.written == ("./my_model", "posts", "data/my.csv")
    assert subject.title == "./my_model on posts, data/my.csv --layers"
    usual = Subject("minilm", ["model_card", "articles", "sentences", "posts"], None)
    assert usual.title == "minilm"


def test_the_command_lists_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for file in ("params.yaml", "dvc.yaml"):
        (tmp_path / file).touch()
    monkeypatch.setattr("embspace.settings.roots.find_root", lambda: tmp_path)
    monkeypatch.chdir(tmp_path)
    assert "no report yet" in call("reports").stderr
    made(tmp_path, "x", 86400, "a\x1b[31m on my.csv")
    assert call("reports").stdout.startswith("a\\x1b[31m on my.csv  1970-01-02  reports/x/")
