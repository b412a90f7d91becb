import re
from typing import Any

import pytest
from matplotlib.text import Annotation

from embspace.draw.learned.projections import draw_projections
from tests.draw.fits import assert_words_fit
from tests.draw.page.maps.results import results_of
from tests.measure.regimes import regimes_of
from tests.measure.vectors import random_matrices, vocabulary_of

SETTINGS = {"height_mm": 150.0, "n_named": 2, "least_recall": 0.05, "digits": 3}


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


def test_the_title_names_the_truest_method_and_its_panel_has_the_numbers(maps):
    for recalls, said in (
        ((0.005, 0.34, 0.17), "t-SNE, keeps 34 %"),
        ((0.5, 0.1, 0.2), "PCA, keeps 50 %"),
    ):
        figure, _ = draw_projections(three(maps, recalls), "tiny", **SETTINGS)
        title = " ".join(figure.get_suptitle().split())
        assert title.startswith(f"The best map of tokens, by {said} of their nearest neighbors")
        share, chance = re.findall(r"[\d.]+ %", title)
        kept = [f"nearest kept: {share}", f"(random {chance})"]
        assert any(all(word in ax.get_xlabel() for word in kept) for ax in figure.axes)


def test_one_large_map_of_tokens_and_five_small_ones(maps):
    figure, text = draw_projections(three(maps, (0.1, 0.2, 0.3)), "tiny", **SETTINGS)
    panels = figure.axes[:6]
    titles = ["t-SNE", "PCA", "UMAP", "Positions, t-SNE", "Positions, PCA", "Positions, UMAP"]
    assert [ax.get_title("left") for ax in panels] == titles
    assert len(panels[3].lines) == 1
    assert len(panels[4].lines) == 0  # neighbors along the order are no neighbors of a PCA
    assert {"positions", "words"} <= {label.get_text() for label in panels[0].texts}
    subtitle = " ".join(label.get_text() for label in figure.texts)
    assert "120 tokens, 30 positions (d–f: 28 structured ones)" in subtitle
    assert text.count("| t-SNE") == 4
    assert_words_fit(figure)


def test_a_map_that_keeps_next_to_nothing_has_no_leaders(maps):
    for recall, is_led in ((0.04, False), (0.06, True)):
        figure, _ = draw_projections(three(maps, (0.0, recall, 0.0)), "tiny", **SETTINGS)
        named = [text for text in figure.axes[0].texts if isinstance(text, Annotation)]
        leaders = [text.arrow_patch for text in named]
        assert all(bool(leader) == is_led for leader in leaders)
        assert leaders


def test_a_model_without_positions_says_so():
    maps = results_of({"input": random_matrices()["input"]}, regimes_of(0))
    figure, text = draw_projections(three(maps, (0.1, 0.2, 0.3)), "tiny", **SETTINGS)
    words = " ".join(figure.axes[3].texts[0].get_text().split())
    assert "tiny has no learned positional table" in words
    assert "tiny has no learned positional table" in text
