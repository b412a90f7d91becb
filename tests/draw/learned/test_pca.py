import pytest

from embspace.clouds.learned import clouds_of
from embspace.draw.learned.pca import draw_pca
from embspace.project.pca import PCA, project_pca
from tests.analyses import as_drawn
from tests.draw.fits import assert_words_fit
from tests.measure.regimes import regimes_of
from tests.measure.vectors import random_matrices, vocabulary_of
from tests.project import settings
from tests.project.settings import graphs_of

DRAW = {"height_mm": 175.0, "n_named": 0, "digits": 3}


def draw(matrices, regimes):
    graphs = graphs_of(clouds_of(matrices, regimes))
    maps = project_pca(matrices, vocabulary_of(120), regimes, graphs, **settings.PCA)
    further = {
        "data/extracted/embeddings.parquet": vocabulary_of(120),
        "data/extracted/embeddings.safetensors": matrices,
        "regimes/positions": regimes,
    }
    return draw_pca(as_drawn(PCA, maps, **further), "tiny", **DRAW)


def test_the_figure_names_its_stage_and_no_seed():
    figure, text = draw(random_matrices(), regimes_of(30))
    assert figure.get_label() == "project_pca"
    assert "seed" not in text
    assert_words_fit(figure)


def test_axes_and_title_say_shares_of_the_variance():
    matrices = random_matrices()
    matrices["positional"][:, 3] *= 1000  # one direction has it all
    figure, _ = draw(matrices, regimes_of(30))
    positions = figure.axes[2]
    assert positions.get_xlabel().startswith("component 1, 100 % of the variance")
    assert figure.axes[3].get_ylabel().startswith("component 3, ")
    title = " ".join(figure.get_suptitle().split())
    assert title.endswith(", 100 % of that of positions alone")
    assert "120 tokens, 30 positions" in " ".join(text.get_text() for text in figure.texts)


@pytest.mark.parametrize(
    ("outlying", "end"),
    [
        ((3,), "of that of positions alone, 1 outlying or unstructured position left out"),
        ((3, 9), "of that of positions alone, 2 outlying or unstructured positions left out"),
    ],
)
def test_the_title_says_which_positions_its_share_leaves_out(outlying: tuple[int, ...], end: str):
    matrices = random_matrices()
    matrices["positional"][list(outlying), 3] += 1e6  # of all positions, one direction has it all
    figure, _ = draw(matrices, regimes_of(30, outlying=outlying))
    title = " ".join(figure.get_suptitle().split())
    assert title.endswith(end)
    assert "100 %" not in title.rpartition("positions, ")[2]
    assert_words_fit(figure)


def test_a_model_without_positions_has_two_panels():
    figure, _ = draw({"input": random_matrices()["input"]}, regimes_of(0))
    assert "of positions" not in figure.get_suptitle()
    assert "no learned positional table" in figure.axes[2].texts[0].get_text()
