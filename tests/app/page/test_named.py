import re
from base64 import b64decode
from pathlib import Path

import pytest

from embspace.app.page import named as module
from embspace.app.page.named import fitting, named_page, parts_of
from embspace.app.page.names import names_of
from embspace.compare.model_stitching import MODEL_STITCHING
from embspace.compare.model_tuning_words import MODEL_TUNING_WORDS
from embspace.draw.compare.model_stitching import draw_model_stitching
from embspace.draw.compare.model_tuning_words import draw_model_tuning_words
from embspace.draw.page.markdown import with_pointer
from tests.app.page.trees import write_tree
from tests.compare.stitched import turned_pair
from tests.compare.test_model_stitching import joined
from tests.compare.test_model_tuning_words import LISTED, compared, toward


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return write_tree(tmp_path)


def page_of(tree: Path, name: str) -> tuple[str, list[str]]:
    page, linked = named_page(tree, names_of(tree)[name])
    return page, [file.as_posix() for file in linked]


def test_a_run_has_its_results_and_the_figures_of_all_runs(tree: Path):
    parts = parts_of(tree, names_of(tree)["r"])
    assert [part.noun for part in parts] == ["claims_of_it", "drift"]  # not what lacks results
    drift = parts[1]
    assert drift.finding == "<script> drifts"
    assert drift.about == "all runs: "
    assert drift.settings == {"conf/measure/runs/drift.yaml": "window: 3\n"}
    assert drift.stages == ["pipeline/runs/dvc.yaml:measure_drift"]
    _, linked = page_of(tree, "r")
    assert linked == [
        "results/claims_of_it/r.csv",
        "data/drawn/runs/all_runs/drift.pdf",
        "data/drawn/runs/all_runs/drift.svg",
        "figures/drift/all_runs.png",
        "results/drift/r.csv",
    ]


def test_the_page_of_a_run_begins_with_findings_and_ends_with_provenance(tree: Path):
    page, _ = page_of(tree, "r")
    parts = re.findall(r'<section id="([^"]*)"', page)
    assert parts == ["findings", "claims_of_it/r", "drift/all_runs", "claims", "provenance"]
    assert "<td>simd</td><td>one, two</td>" in page
    claims = page.split('id="claims"')[1].split("</section>")[0]
    assert "matches" in claims and "not checkable" not in claims
    assert page.count('src="data:image/svg+xml,') == 1


def test_the_page_of_a_pair_begins_with_what_moved(tree: Path):
    for noun in ("alignment", "model_changes", "vocabularies"):
        (tree / f"results/{noun}").mkdir()
        (tree / f"results/{noun}/a--b.csv").write_text("layer,value\n0,0.25\n")
    parts = [part.noun for part in parts_of(tree, names_of(tree)["a--b"])]
    assert parts == ["model_changes", "alignment", "alike", "vocabularies"]
    alike = parts_of(tree, names_of(tree)["a--b"])[2]
    assert alike.title == "Likeness of A and B" and "compare_alike" not in alike.tables


def test_the_page_of_a_pair_shows_joined_layers_and_written_words(tree: Path):
    joined_layers = {"csv": joined(turned_pair())}
    written = compared(toward(LISTED))
    figure, table = draw_model_stitching(joined_layers, "A--B", height_mm=112.0, digits=3)
    finding, words = draw_model_tuning_words(written, "A--B", digits=3)
    for analysis, outcome, text in (
        (MODEL_STITCHING, joined_layers, table),
        (MODEL_TUNING_WORDS, written, with_pointer(words, finding, "measures", "a--b")),
    ):
        analysis.save(outcome, "a--b", tree)
        file = tree / f"figures/{analysis.noun}/a--b.md"
        file.parent.mkdir(parents=True)
        file.write_text(text, encoding="utf-8")
    svg = tree / "data/drawn/pairs/a--b/model_stitching.svg"
    svg.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(svg)
    parts = {part.noun: part for part in parts_of(tree, names_of(tree)["a--b"])}
    assert {"model_stitching", "model_tuning_words"} <= parts.keys()
    assert parts["model_tuning_words"].finding == finding
    assert "present" in parts["model_tuning_words"].tables
    page, linked = page_of(tree, "a--b")
    assert "Layers of A and B that may be joined" in page
    assert "results/model_stitching/a--b.csv" in linked
    assert "results/model_tuning_words/layers/a--b.csv" in linked


def test_a_finding_that_names_the_run_says_nothing_of_all_runs(tree: Path):
    page, _ = page_of(tree, "r")
    assert '<li>all runs: <a href="#drift/all_runs">' in page
    file = tree / "data/drawn/runs/all_runs/drift.svg"
    file.write_text(file.read_text().replace("&lt;script&gt; drifts", "Of two, r drifts most"))
    page, _ = page_of(tree, "r")
    assert '<li><a href="#drift/all_runs">Of two, r drifts most' in page


def test_a_page_without_findings_says_what_is_lacking(tree: Path):
    page, _ = page_of(tree, "a--b")
    assert "They are listed here if the figures are in this tree as SVG, too." in page
    (tree / "figures/alike/a--b.png").unlink()
    page, _ = page_of(tree, "a--b")
    assert "No figure of it is in this tree" in page and "titles of the figures" not in page
    drawn = tree / "data/drawn/pairs/a--b/alike.svg"
    drawn.parent.mkdir(parents=True)
    drawn.write_text("<svg></svg>")
    page, _ = page_of(tree, "a--b")
    assert "in this tree" not in page.split("<section", 1)[0]


@pytest.mark.parametrize("name", ["r", "t"])
def test_hostile_words_are_text_and_stay_in_their_place(tree: Path, name: str):
    page, _ = page_of(tree, name)
    assert "<script" not in page
    assert "script-src 'none'" in page
    assert "<h1><bdi>&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_a_pair_has_its_own_figure_and_no_other(tree: Path):
    page, linked = page_of(tree, "a--b")
    assert linked == ["figures/alike/a--b.png", "results/alike/a--b.csv"]
    assert "Likeness of A and B" in page and 'src="data:image/png;base64,' in page
    assert "conf/model/a.yaml" in page and "conf/model/b.yaml" in page


def test_no_figure_is_missed_where_one_stands(tree: Path):
    numbers_line = "numbers are in the files below."
    page, _ = page_of(tree, "a--b")  # with a figure and no table
    assert "no figure of its own" not in page and f"Its {numbers_line}" in page
    tables = tree / "figures/alike/a--b.md"
    tables.write_text(f"{tables.read_text()}\n| layer |\n|---|\n| 0 |\n")
    assert numbers_line not in page_of(tree, "a--b")[0]
    tables.unlink()
    (tree / "figures/alike/a--b.png").unlink()
    page, _ = page_of(tree, "a--b")
    assert f"It has no figure of its own; its {numbers_line}" in page


def test_a_corpus_has_its_rows_alone(tree: Path):
    page, linked = page_of(tree, "t")
    assert linked == ["results/search/a.csv"]
    assert "0.125" in page and "0.75" not in page
    assert "1 row of this corpus, 1 shown." in page


def test_what_is_not_computed_says_the_command(tree: Path):
    (tree / "results/alike/a--b.csv").unlink()
    (tree / "figures/alike/a--b.png").unlink()
    page, linked = page_of(tree, "a--b")
    assert linked == []
    assert "embspace run  # with `a--b: {model: a, other_model: b}` under `compared`" in page


def test_a_single_file_holds_what_it_links_to(tree: Path, monkeypatch: pytest.MonkeyPatch):
    page, linked = named_page(tree, names_of(tree)["a--b"], is_single=True)
    assert linked == []
    held = re.findall(r'href="data:text/csv;base64,([^"]*)"', page)
    assert [b64decode(table).decode() for table in held] == ["layer,value\n0,0.25\n"]
    monkeypatch.setattr(module, "LARGEST_ALONE", module.LARGEST)
    page, _ = named_page(tree, names_of(tree)["a--b"], is_single=True)
    assert "left out:" in page and "results/alike/a--b.csv" in page
    assert 'href="data:' not in page


def test_the_largest_figures_are_png_where_all_are_too_large(
    tree: Path,
):
    parts = parts_of(tree, names_of(tree)["r"])
    assert fitting(tree, parts, 1000)["drift/all_runs"].startswith("data:image/svg+xml")
    assert fitting(tree, parts, 100)["drift/all_runs"].startswith("data:image/png")


def test_the_same_tree_gives_the_same_page(tree: Path):
    assert page_of(tree, "r") == page_of(tree, "r")
