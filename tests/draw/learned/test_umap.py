from embspace.draw.learned.umap import draw_umap
from embspace.project.umap import UMAP, project_umap
from tests.analyses import as_drawn
from tests.draw.fits import assert_words_fit
from tests.measure.vectors import vocabulary_of
from tests.project import settings
from tests.project.groups import projected


def test_the_figure_names_its_stage_and_the_table_the_seeds():
    found = projected(project_umap, settings.UMAP)
    label = "a model of a long name"
    further = {
        "data/extracted/embeddings.parquet": vocabulary_of(120),
        "conf/project/umap.yaml": {"n_neighbors": 6, "min_dist": 0.1},
    }
    results = as_drawn(UMAP, found, **further)
    figure, text = draw_umap(results, label, height_mm=175.0, n_named=3, digits=3, seed=3)
    assert figure.get_label() == "project_umap"
    assert_words_fit(figure)
    words = " ".join(text.get_text() for text in figure.texts)
    assert "120 tokens, 30 positions · 6 neighbors, minimum distance 0.1, seed 3" in words
    assert "## What the seed does" in text
    assert f"{found['seeds']['neighbor_overlap'].iloc[0]:.3f}" in text
    assert "## One-dimensionality by seed" in text
