from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.clouds.learned import clouds_of
from embspace.draw.page.looks import TOKEN_KINDS
from embspace.draw.page.maps import (
    EXTRACTED,
    finding,
    map_figure,
    map_tables,
    named_places,
    panels_of_maps,
)
from embspace.project.maps import maps_of
from tests.draw.fits import assert_words_fit
from tests.measure.regimes import regimes_of
from tests.measure.vectors import random_matrices, vocabulary_of
from tests.project.settings import graphs_of


def results_of(matrices, regimes) -> dict[str, Any]:
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
        EXTRACTED: vocabulary_of(120),
    }


def draw(results, label="a model of a long name"):
    figure = map_figure(
        results,
        label,
        title=finding(results, "a method"),
        protocol="seed 0",
        stage="project_pca",
        panels=panels_of_maps(results),
        n_named=3,
        height_mm=175.0,
    )
    return figure, map_tables(results, label, "a method", "project_pca", 3)


@pytest.fixture(scope="module")
def results():
    return results_of(random_matrices(), regimes_of(30, outlying=[0, 7]))


@pytest.fixture(scope="module")
def drawn(results):
    return draw(results)


def test_points_are_those_of_the_table_by_kind_of_token(results, drawn):
    joint = drawn[0].axes[0]
    rows = results["parquet"].query("cloud == 'joint'")
    points = {each.get_label(): each.get_offsets()[:, 0].tolist() for each in joint.collections}
    assert [*points] == ["words", "numbers", "special tokens", "position embeddings"]
    assert points["position embeddings"] == rows.loc[rows["space"] == "positional", "x"].tolist()
    assert points["special tokens"] == rows["x"].tolist()[:2]
    assert len(points["words"]) + len(points["numbers"]) == 118
    (words,) = [each for each in joint.collections if each.get_label() == "words"]
    assert words.get_facecolor()[0, :3] == pytest.approx((0, 0x72 / 255, 0xB2 / 255))
    assert TOKEN_KINDS["word"].color == "#0072B2"


def test_every_map_has_its_quality_and_chance_in_words(results, drawn):
    titles = [ax.get_title(loc="left") for ax in drawn[0].axes[:4]]
    raw, centered = "Raw vectors", "Centered, at unit length"
    assert titles == [raw, centered, "All positions", "Structured positions"]
    for ax, (_, row) in zip(drawn[0].axes[:4], results["quality"].iterrows(), strict=True):
        words = ax.get_xlabel()
        recall, chance = row["neighbor_recall"], row["chance_neighbor_recall"]
        assert f"5 nearest neighbors kept: {100 * recall:.2g} % (chance {100 * chance:.2g} %)" in (
            words
        )
        trust = f"trustworthiness {row['trustworthiness']:.2f}, continuity {row['continuity']:.2f}"
        assert f"{trust} (chance {row['chance_trustworthiness']:.2f})" in words


def test_the_title_says_what_the_best_map_keeps(results):
    quality = results["quality"].assign(neighbor_recall=[0.1, 0.34, 0.5, 0.4])
    said = finding({"quality": quality}, "UMAP")
    words = "UMAP keeps at best 34 % of the nearest neighbors"
    assert said == f"{words}, and 50 % of those among positions"
    said = finding({"quality": quality[:2]}, "UMAP")
    assert said == "UMAP keeps at best 34 % of the nearest neighbors"


def test_the_subtitle_says_how_many_there_are(drawn):
    words = " ".join(text.get_text() for text in drawn[0].texts)
    assert "a model of a long name · 120 tokens, 30 positions · seed 0" in words


def test_dense_places_are_named_after_the_tokens_there_or_their_kind():
    rng = np.random.default_rng(0)
    centers = np.repeat([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]], 40, axis=0)
    xy = centers + 0.1 * rng.normal(size=centers.shape)
    rows = pd.DataFrame(xy, columns=["x", "y"]).assign(
        space="input",
        token=["here"] * 40 + ["there"] * 40 + ["12"] * 40,
        kind=["word"] * 80 + ["number"] * 40,
    )
    found = {words: (round(x), round(y)) for x, y, words in named_places(rows)}
    assert found["here, here"] == (0, 0)
    assert found["there, there"] == (10, 0)
    assert found["numbers"] == (0, 10)


def test_few_tokens_have_no_named_places(results):
    rows = panels_of_maps(results)[0].rows
    assert named_places(rows[:5]) == []


def test_positions_that_are_left_out_are_marked(results, drawn):
    positional, structured = drawn[0].axes[2:4]
    rows = results["parquet"].query("cloud == 'positional' and id in [0, 7]")
    assert positional.collections[0].get_offsets()[:, 0].tolist() == rows["x"].tolist()
    assert len(structured.collections) == len(positional.collections) - 1
    (legend,) = drawn[0].legends
    words = [text.get_text() for text in legend.get_texts()]
    assert words[-2:] == ["position embeddings", "unstructured positions"]


def test_a_model_without_positions_shows_its_tokens():
    figure, text = draw(results_of({"input": random_matrices()["input"]}, regimes_of(0)), "tiny")
    assert "tiny has no learned positional table" in figure.axes[2].texts[0].get_text()
    assert "tiny has no learned positional table" in text
    assert "One-dimensionality" not in text


def test_a_model_without_structured_positions_says_so():
    figure, _ = draw(results_of(random_matrices(), regimes_of(30, unstructured=range(30))), "tiny")
    assert len(figure.axes[2].collections[0].get_offsets()) == 30
    assert "position" not in [ax.get_ylabel() for ax in figure.axes]  # no colors to explain
    assert "no structured positions" in [t.get_text() for ax in figure.axes for t in ax.texts]


def test_the_words_fit(drawn):
    assert_words_fit(drawn[0])
