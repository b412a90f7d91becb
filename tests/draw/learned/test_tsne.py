from embspace.draw.learned.tsne import draw_tsne
from embspace.project.tsne import TSNE, project_tsne
from tests.analyses import as_drawn
from tests.draw.fits import assert_words_fit
from tests.measure.vectors import vocabulary_of
from tests.project import settings
from tests.project.groups import projected


def test_the_figure_names_its_stage_and_the_table_the_seeds():
    found = projected(project_tsne, settings.TSNE)
    label = "a model of a long name"
    further = {
        "data/extracted/embeddings.parquet": vocabulary_of(120),
        "conf/project/tsne.yaml": {"perplexity": 5.0},
    }
    results = as_drawn(TSNE, found, **further)
    figure, text = draw_tsne(results, label, height_mm=175.0, n_named=3, digits=3, seed=3)
    assert figure.get_label() == "project_tsne"
    assert_words_fit(figure)
    words = " ".join(text.get_text() for text in figure.texts)
    assert "120 tokens, 30 positions · perplexity 5, seed 3" in words
    assert "## What the seed does" in text
    assert f"{found['seeds']['neighbor_overlap'].iloc[0]:.3f}" in text
    assert "## One-dimensionality by seed" in text
