"""`embspace figure`: figures for papers, from the committed results of the toys."""

import re
from pathlib import Path

import pytest

from embspace.app.paper import known_figures, write_paper_figure
from embspace.errors import InputError

MM = 72 / 25.4  # points, in which a PDF has its size


@pytest.fixture(autouse=True)
def at_root(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)


def size_of(pdf: Path) -> tuple[float, float]:
    """Width and height of a PDF's page, in millimeters."""
    box = re.search(rb"/MediaBox \[ ?([\d. ]+)\]", pdf.read_bytes())
    assert box
    _, _, width, height = map(float, box[1].split())
    return width / MM, height / MM


@pytest.mark.parametrize("width_mm", [85.0, 170.0])
def test_the_figure_is_as_wide_as_asked_and_its_title_is_the_caption(
    width_mm: float, tmp_path: Path
):
    files = write_paper_figure("cubes", "toy", tmp_path, width_mm, has_panels=False)
    assert [file.name for file in files] == ["cubes.pdf", "cubes.svg", "cubes.tex"]
    assert sorted(tmp_path.iterdir()) == sorted(files)
    assert size_of(tmp_path / "cubes.pdf")[0] == pytest.approx(width_mm, abs=0.1)
    tex, svg = (tmp_path / "cubes.tex").read_text(), (tmp_path / "cubes.svg").read_text()
    caption = re.search(r"\\caption\{(.*?)\}\\label\{fig:cubes\}", tex)
    assert caption
    title = caption[1].split(". ")[0]
    assert len(title) > 20
    assert title.split()[0] + " " + title.split()[1] not in svg
    assert "draw_toys" not in svg
    assert "number of principal components" in svg.lower()  # letters are letters
    assert "\\begin{tabular}" in tex


def test_each_panel_is_a_file_of_about_that_width(tmp_path: Path):
    files = write_paper_figure("cubes", "toy", tmp_path, 85.0, has_panels=True)
    panels = [file for file in files if re.fullmatch(r"cubes_[a-z]\.pdf", file.name)]
    assert panels
    for panel in panels:
        assert 60 < size_of(panel)[0] < 100


def test_every_analysis_is_known_with_its_chapter():
    figures = known_figures()
    assert figures["helix"][0] == "positional"
    assert figures["ledger"][0] == "compare"
    assert len(figures) > 40


def test_an_unknown_analysis_is_named(tmp_path: Path):
    with pytest.raises(InputError, match="'helx': no such analysis; did you mean 'helix'"):
        write_paper_figure("helx", "minilm", tmp_path, 170.0, has_panels=False)


def test_a_model_that_params_does_not_list_is_told(tmp_path: Path):
    with pytest.raises(InputError, match=r"nothing of 'bert_base_cased'; .*not listed under"):
        write_paper_figure("probing", "bert_base_cased", tmp_path, 170.0, has_panels=False)


def test_results_that_are_not_there_are_named(tmp_path: Path):
    with pytest.raises(InputError, match="results/probing: nothing of 'nobody'"):
        write_paper_figure("probing", "nobody", tmp_path, 170.0, has_panels=False)
    assert not [*tmp_path.iterdir()]


def test_an_analysis_without_a_figure_gives_the_figure_with_its_numbers(tmp_path: Path):
    files = write_paper_figure("grammar", "toy", tmp_path, 170.0, has_panels=False)
    assert [file.name for file in files] == ["estimators.pdf", "estimators.svg", "estimators.tex"]
