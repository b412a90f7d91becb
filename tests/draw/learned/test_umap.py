from embspace.draw.learned.umap import draw_umap
from embspace.project.umap import project_umap
from tests.draw.fits import assert_words_fit
from tests.project.groups import projected, results_of
from tests.project.settings import UMAP


def test_the_figure_names_its_stage_and_the_table_the_seeds():
    found = projected(project_umap, UMAP)
    label = "a model of a long name"
    figure, text = draw_umap(results_of(found), label, height_mm=165.0, digits=3)
    assert figure.get_supxlabel() == "project_umap"
    assert_words_fit(figure)
    assert "## What the seed does" in text
    assert f"{found.seeds['neighbor_overlap'].iloc[0]:.3f}" in text
    assert "## One-dimensionality by seed" in text
