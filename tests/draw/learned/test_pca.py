from embspace.clouds.learned import clouds_of
from embspace.draw.learned.pca import draw_pca
from embspace.project.pca import project_pca
from tests.draw.fits import assert_words_fit
from tests.measure.regimes import regimes_of
from tests.measure.vectors import random_matrices, vocabulary_of
from tests.project.settings import PCA, graphs_of


def test_the_figure_names_its_stage_and_no_seed():
    graphs = graphs_of(clouds_of(random_matrices(), regimes_of(30)))
    maps = project_pca(random_matrices(), vocabulary_of(120), regimes_of(30), graphs, **PCA)
    results = {
        "parquet": maps.coordinates,
        "quality": maps.quality,
        "one_dimensionality": maps.one_dimensionality,
    }
    figure, text = draw_pca(results, "tiny", height_mm=165.0, digits=3)
    assert figure.get_supxlabel() == "project_pca"
    assert "seed" not in text
    assert_words_fit(figure)
