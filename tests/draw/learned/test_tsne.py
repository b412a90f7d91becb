from embspace.draw.learned.tsne import draw_tsne
from embspace.project.tsne import project_tsne
from tests.draw.fits import assert_words_fit
from tests.project.groups import projected, results_of
from tests.project.settings import TSNE


def test_the_figure_names_its_stage_and_the_table_the_seeds():
    found = projected(project_tsne, TSNE)
    label = "a model of a long name"
    figure, text = draw_tsne(results_of(found), label, height_mm=165.0, digits=3)
    assert figure.get_supxlabel() == "project_tsne"
    assert_words_fit(figure)
    assert "## What the seed does" in text
    assert f"{found.seeds['neighbor_overlap'].iloc[0]:.3f}" in text
    assert "## One-dimensionality by seed" in text
