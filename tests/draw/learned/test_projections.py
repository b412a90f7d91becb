from typing import Any

import pytest

from embspace.draw.learned.projections import draw_projections
from tests.draw.fits import assert_words_fit
from tests.draw.page.maps.results import results_of
from tests.measure.regimes import regimes_of
from tests.measure.vectors import random_matrices, vocabulary_of

SETTINGS = {"height_mm": 185.0, "digits": 3, "seed": 0}


def three(maps: dict[str, Any], recalls: tuple[float, ...]) -> dict[str, Any]:
    """One map by each method, that of a cloud of tokens keeping so many neighbors."""
    results: dict[str, Any] = {"data/extracted/embeddings.parquet": vocabulary_of(120)}
    for method, recall in zip(("pca", "tsne", "umap"), recalls, strict=True):
        results[f"data/projected/{method}.parquet"] = maps["parquet"]
        quality = maps["quality"].assign(neighbor_recall=recall)
        results[f"{method}/quality"] = quality
    results["conf/project/tsne.yaml"] = {"perplexity": 30.0}
    results["conf/project/umap.yaml"] = {"n_neighbors": 15}
    return results


@pytest.fixture(scope="module")
def maps():
    return results_of(random_matrices(), regimes_of(30, outlying=[0, 7]))


def test_the_title_names_the_truest_method_first(maps):
    for recalls, said in (
        (
            (0.005, 0.34, 0.17),
            "t-SNE keeps at best 34 % of the tokens' nearest neighbors",
        ),
        ((0.5, 0.1, 0.2), "PCA keeps at best 50 % of the tokens' nearest neighbors"),
    ):
        figure, _ = draw_projections(three(maps, recalls), "tiny", **SETTINGS)
        assert " ".join(figure.get_suptitle().split()).startswith(said)


def test_columns_are_methods_and_rows_are_clouds(maps):
    figure, text = draw_projections(three(maps, (0.1, 0.2, 0.3)), "tiny", **SETTINGS)
    assert [ax.get_title("left") for ax in figure.axes[:3]] == ["PCA", "t-SNE", "UMAP"]
    rows = [ax.get_ylabel() for ax in figure.axes[:9:3]]
    assert rows == ["Raw vectors", "Centered, at unit length", "Structured positions"]
    labels = [ax.get_xlabel() for ax in figure.axes[:3]]
    assert [label[:21] for label in labels] == [f"neighbors kept: {n} % " for n in (10, 20, 30)]
    assert len(figure.axes[6].lines) == 0  # neighbors along the order are no neighbors of a PCA
    assert len(figure.axes[7].lines) == 1
    assert "120 tokens, 30 positions" in " ".join(each.get_text() for each in figure.texts)
    assert text.count("| t-SNE") == 4
    assert_words_fit(figure)


def test_a_model_without_positions_says_so():
    maps = results_of({"input": random_matrices()["input"]}, regimes_of(0))
    figure, text = draw_projections(three(maps, (0.1, 0.2, 0.3)), "tiny", **SETTINGS)
    assert "tiny has no learned positional table" in figure.axes[6].texts[0].get_text()
    assert "tiny has no learned positional table" in text
