from pathlib import Path

import pytest

from embspace.app.page.names import names_of
from embspace.app.page.overview import write_all, write_named
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
