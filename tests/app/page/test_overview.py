import os
import re
from pathlib import Path

import pytest

from embspace.app.page.names import names_of
from embspace.app.page.overview import write_all, write_named
from embspace.app.reporting.listed import note
from embspace.errors import InputError
from tests.app.page.trees import write_tree


def test_a_page_lies_beside_what_it_links_to(tmp_path: Path):
    tree = write_tree(tmp_path)
    page = write_named(tree, names_of(tree)["a--b"])
    assert page == Path("reports/a--b/index.html")
    text = (tree / page).read_text(encoding="utf-8")
    for place in ("figures/alike/a--b.png", "results/alike/a--b.csv"):
        assert f'href="{place}"' in text
        assert (tree / page.parent / place).read_bytes() == (tree / place).read_bytes()


def test_the_list_has_every_name_and_leaves_reports_as_they_are(tmp_path: Path):
    tree = write_tree(tmp_path)
    report = tree / "reports/a/index.html"
    report.parent.mkdir(parents=True)
    report.write_text("a report")
    page = write_all(tree)
    assert page == Path("reports/index.html")
    text = (tree / page).read_text(encoding="utf-8")
    for place in (
        "a/tree/index.html",
        "a/index.html",
        "r/index.html",
        "a--b/index.html",
        "t/index.html",
    ):
        assert f'href="{place}"' in text
        assert (tree / "reports" / place).is_file()
    assert report.read_text() == "a report"
    assert "<li>&lt;script&gt; drifts</li>" in text
    assert "<script" not in text


def test_reports_of_folders_and_files_are_in_the_list_the_newest_first(tmp_path: Path):
    tree = write_tree(tmp_path)
    assert "of your own" not in (tree / write_all(tree)).read_text(encoding="utf-8")
    for day, (name, title) in enumerate(
        (("a", None), ("my-01234567", "./my"), ("my-01234567--t+all", "./my on <b>.csv --all"))
    ):
        page = tree / "reports" / name / "index.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text("a report")
        if title:
            note(page.parent, title)
        os.utime(page, (86400 * day, 86400 * day))
    text = (tree / write_all(tree)).read_text(encoding="utf-8")
    own = text.partition('id="reports"')[2].partition("</section>")[0]
    assert re.findall(r'<a href="(.*?)"><bdi>(.*?)</bdi></a> <span class="quiet">(.*?)<', own) == [
        ("my-01234567--t%2Ball/index.html", "./my on &lt;b&gt;.csv --all", "1970-01-03"),
        ("my-01234567/index.html", "./my", "1970-01-02"),
    ]
    assert 'href="a/index.html"' in text  # with its model


def test_what_has_no_results_has_its_command_in_the_list(tmp_path: Path):
    tree = write_tree(tmp_path)
    (tree / "params.yaml").write_text("models: [b]\ncorpora: [t]\ncompared: {}\ntrained: []\n")
    write_all(tree)
    text = (tree / "reports/index.html").read_text(encoding="utf-8")
    assert "<code>embspace report b</code>" in text
    assert not (tree / "reports/b").exists()


def test_a_file_in_the_way_is_named(tmp_path: Path):
    tree = write_tree(tmp_path)
    (tree / "reports").write_text("of a user")
    for call in (lambda: write_named(tree, names_of(tree)["a--b"]), lambda: write_all(tree)):
        with pytest.raises(InputError, match=r"reports/.*: cannot be written"):
            call()


def test_a_list_without_findings_promises_none(tmp_path: Path):
    tree = write_tree(tmp_path)
    text = (tree / write_all(tree)).read_text(encoding="utf-8")
    assert "with the first findings of each" in text
    for drawn in (tree / "data/drawn").rglob("*.svg"):
        drawn.unlink()
    text = (tree / write_all(tree)).read_text(encoding="utf-8")
    assert "first findings" not in text and "where their figures are in the tree as SVG" in text
