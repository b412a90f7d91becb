import re
from pathlib import Path

from embspace.report.figures import report_figures

FIGURES = [
    Path(f"figures/{name}.png")
    for name in ("helix/b", "helix/a", "pca/a", "measures/a--b", "gone/a", "helix_turns/a")
]
SETTINGS = [
    Path(f"conf/{name}.yaml")
    for name in (
        "project/pca",
        "draw/learned/pca",
        "measure/positional/helix",
        "draw/positional/helix",
        "compare/measures",
        "draw/compare/measures",
        "measure/words/probing",
        "draw/words/probing",
        "draw/positional/helix_turns",
    )
]


def test_figures_stand_by_chapter_and_noun_with_the_stage_that_makes_them():
    page = report_figures(FIGURES, SETTINGS)
    titles = [line for line in page.splitlines() if line.startswith("#")]
    chapters = ["## compare", "### measures", "## learned", "### pca", "## positional", "### helix"]
    chapters.append("### helix_turns")
    assert titles == ["# All figures", *chapters]
    for stage in ("compare_measures", "project_pca", "measure_helix"):
        assert f"Stage `{stage}` of [pipeline/" in page
    assert page.index("(../../figures/helix/a.png)") < page.index("(../../figures/helix/b.png)")
    assert "conf/draw" not in page
    assert "probing" not in page  # nothing is drawn of it
    assert "figures/gone" not in page  # nothing makes it


def test_graph_and_settings_are_files_of_the_project(root: Path):
    settings = [file.relative_to(root) for file in (root / "conf").rglob("*.yaml")]
    figures = [file.relative_to(root) for file in (root / "figures").glob("*/*.png")]
    links = re.findall(r"\]\(\.\./\.\./(.*?)\)", report_figures(figures, settings))
    assert set(map(str, figures)) <= set(links)
    assert [link for link in links if not (root / link).is_file()] == []


def test_without_figures_there_is_a_heading():
    assert report_figures([], SETTINGS).startswith("# All figures")
