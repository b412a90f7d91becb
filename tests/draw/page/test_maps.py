import numpy as np
import pytest

from embspace.clouds.learned import clouds_of
from embspace.draw.page.maps import map_figure
from embspace.project.maps import maps_of
from tests.draw.fits import assert_words_fit
from tests.measure.regimes import regimes_of
from tests.measure.vectors import random_matrices, vocabulary_of
from tests.project.settings import graphs_of


def results_of(matrices, regimes):
    clouds = clouds_of(matrices, regimes)
    layouts = {name: cloud.vectors[:, :2].astype(float) for name, cloud in clouds.items()}
    maps = maps_of(
        clouds,
        layouts,
        graphs_of(clouds),
        vocabulary_of(120),
        quality_n_neighbors=5,
        n_shuffles=3,
        rng=np.random.default_rng(0),
    )
    return {
        "parquet": maps.coordinates,
        "quality": maps.quality,
        "one_dimensionality": maps.one_dimensionality,
    }


@pytest.fixture(scope="module")
def results():
    return results_of(random_matrices(), regimes_of(30, outlying=[0, 7]))


@pytest.fixture(scope="module")
def drawn(results):
    return map_figure(results, "a model of a long name", "a method", "project_pca", 165.0, 3)


def test_points_are_those_of_the_table(results, drawn):
    joint = drawn[0].axes[0]
    rows = results["parquet"].query("cloud == 'joint'")
    for points, space in zip(joint.collections, ("input", "positional"), strict=True):
        part = rows[rows["space"] == space]
        assert points.get_offsets()[:, 0].tolist() == part["x"].tolist()


def test_every_map_has_its_quality_and_chance_under_its_title(results, drawn):
    quality = results["quality"].set_index("cloud")
    titles = [ax.get_title(loc="left") for ax in drawn[0].axes[:4]]
    assert titles == [
        "tokens and positions",
        "tokens and positions, centered, unit length",
        "positions",
        "structured positions",
    ]
    for ax, (_, row) in zip(drawn[0].axes[:4], quality.iterrows(), strict=True):
        words = ax.texts[0].get_text()
        for measure in ("trustworthiness", "continuity"):
            assert f"{row[measure]:.3f} [{row[f'chance_{measure}']:.3f}]" in words
        assert f"R {row['neighbor_recall']:.3f}" in words


def test_positions_that_are_left_out_are_marked(results, drawn):
    positional, structured = drawn[0].axes[2:4]
    rows = results["parquet"].query("cloud == 'positional' and id in [0, 7]")
    assert positional.collections[-1].get_offsets()[:, 0].tolist() == rows["x"].tolist()
    assert len(structured.collections) == len(positional.collections) - 1
    (legend,) = drawn[0].legends
    words = [text.get_text() for text in legend.get_texts()]
    assert words == ["token embeddings", "position embeddings", "outlying or unstructured"]


def test_a_model_without_positions_shows_its_tokens():
    results = results_of({"input": random_matrices()["input"]}, regimes_of(0))
    figure, text = map_figure(results, "tiny", "a method", "project_pca", 165.0, 3)
    assert "tiny has no learned positional table" in figure.axes[2].texts[0].get_text()
    assert "tiny has no learned positional table" in text
    assert "One-dimensionality" not in text


def test_a_model_without_structured_positions_says_so():
    results = results_of(random_matrices(), regimes_of(30, unstructured=range(30)))
    figure, _ = map_figure(results, "tiny", "a method", "project_pca", 165.0, 3)
    assert len(figure.axes[2].collections[-1].get_offsets()) == 30
    assert "position" not in [ax.get_ylabel() for ax in figure.axes]  # no colors to explain
    assert "no structured positions" in [t.get_text() for ax in figure.axes for t in ax.texts]


def test_the_words_fit(drawn):
    assert_words_fit(drawn[0])
